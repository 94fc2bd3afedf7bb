; Two relations in a body whose first arguments are of different sorts: the model is read back.
(set-logic HORN)
(declare-fun P (Int) Bool)
(declare-fun Q (Bool Int) Bool)
(assert (P 0))
(assert (Q false 0))
(assert (forall ((n Int) (b Bool) (m Int)) (=> (and (P n) (Q b m) (= n m) (< n 7)) (P (+ n 1)))))
(assert (forall ((n Int) (b Bool) (m Int)) (=> (and (P n) (Q b m) (= n (+ m 1))) (Q (not b) n))))
(assert (forall ((n Int) (b Bool)) (=> (and (P n) (Q b n) (= b (= (mod n 2) 0))) false)))
