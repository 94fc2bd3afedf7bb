; Clauses that deny that something exists: x grows by 2 from 0, and is never 7.
(set-logic HORN)
(declare-fun P (Int) Bool)
(assert (P 0))
(assert (not (exists ((x Int) (y Int)) (and (P x) (= y (+ x 2)) (not (P y))))))
(assert (not (exists ((x Int)) (and (P x) (= x 7)))))
(check-sat)
