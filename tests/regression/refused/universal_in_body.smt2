; expected: a universal quantifier in the body of a clause
(set-logic HORN)
(declare-fun P (Int Int) Bool)
(assert (forall ((x Int)) (=> (forall ((y Int)) (P x y)) false)))
(check-sat)
