; Quantifiers and ite inside clauses: x grows by 3 to at most 12, which is beyond 11.
(set-logic HORN)
(declare-fun P (Int) Bool)
(declare-fun Q (Int Int) Bool)
(assert (forall ((y Int)) (=> (= y 0) (P y))))
(assert (forall ((x Int)) (=> (P x) (forall ((y Int)) (=> (and (= y (+ x 3)) (< x 10)) (Q x y))))))
(assert (forall ((y Int)) (=> (exists ((x Int)) (and (Q x y) (< x y))) (P y))))
(assert (forall ((x Int)) (=> (ite (> x 11) (P x) false) false)))
(check-sat)
