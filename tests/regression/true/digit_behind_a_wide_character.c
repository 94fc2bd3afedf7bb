extern void reach_error(void);
int main(void) {
  const __typeof__(*L"") text[] = L"a\u20acb";
  if (text[2] != 'b' || text[3] != 0) reach_error();
  return 0;
}
