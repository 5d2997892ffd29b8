"""z_i(x) = u_i · mean of v_j (j in x, not forbidden) + b_i: all predictors trained jointly with a shared low rank."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from classinet import _kernels
from classinet._keys import name_keys
from classinet._sparse import column_counts, take_rows
from classinet._typing import Csr, Floats, Integers, MatrixLike, Singles
from classinet._validation import check_number
from classinet.engine import fixed_batches
from classinet.exceptions import ParameterError
from classinet.predictors.base import Predictor, Problem
from classinet.predictors.sampled import sigmoid

logger = logging.getLogger("classinet")

CHUNKS = 8  # computed side by side on frozen parameters; a fixed number, so that the result never depends on threads
SHARDS = 8


class Factorised(Predictor):
    def __init__(self, rank="auto", passes="auto", negatives=64, learning_rate=0.1, max_passes=100, power=0.75, init=0.1, patience=3,decay=0.0,linear=True):
        self.decay=decay;self.linear=linear
        self.rank = rank
        self.passes = passes
        self.negatives = negatives
        self.learning_rate = learning_rate
        self.max_passes=max_passes; self.power=power; self.init=init; self.patience=patience

    def _fit(self, problem):
        N=problem.contexts.shape[0]; n=problem.n_vertices; d=problem.contexts.shape[1]
        nval=min(2000,N//10)
        val=take_rows(problem.contexts,np.arange(nval)), take_rows(problem.targets,np.arange(nval))
        X=take_rows(problem.contexts,np.arange(nval,N)); T=take_rows(problem.targets,np.arange(nval,N))
        N=X.shape[0]
        df=column_counts(T).astype(float)
        q=(df+1e-9)**self.power; q/=q.sum(); cum=np.cumsum(q)
        offsets=np.log(self.negatives*q).astype(np.float64)
        r=self.rank
        V=np.empty((d,r),np.float32); keys=name_keys(problem.names)
        _kernels.factorised.start_vectors(keys,self.init,V)
        U=np.zeros((n,r),np.float32)
        p=(df+0.5)/(N+1); b=np.log(p/(1-p)).astype(np.float32)
        K=_kernels.factorised; F=problem.forbidden
        best=-np.inf; bad=0; self.history_=[]
        P=self.max_passes if self.passes=="auto" else self.passes
        for ps in range(P):
            order=np.random.default_rng([problem.seed,ps]).permutation(N)
            rate=self.learning_rate*(1-ps/P if self.linear else 1)
            K.train_pass(order,X.indptr,X.indices,T.indptr,T.indices,F.indptr,F.indices,cum,offsets,self.negatives,np.uint64(ps*1000003+17),rate,self.decay,V,U,b)
            m=self.evaluate(val,problem,V,U,b)
            self.history_.append(m)
            if m>best+1e-3: best=m; bad=0; keep=(V.copy(),U.copy(),b.copy(),ps+1)
            else:
                bad+=1
                if self.passes=="auto" and bad>=self.patience: break
        if self.passes!="auto": keep=(V,U,b,self.passes)
        self.context_vectors_,self.target_vectors_,self.intercept_,self.passes_=keep
        self.positives_=column_counts(problem.targets)
    def evaluate(self,val,problem,V,U,b):
        Xv,Tv=val
        rows=np.arange(min(Xv.shape[0],500)); Xs=take_rows(Xv,rows); Ts=take_rows(Tv,rows)
        F=problem.forbidden
        out=np.empty((U.shape[0],Xs.shape[0]),np.float32)
        _kernels.factorised.scores(Xs.indptr,Xs.indices,F.indptr,F.indices,V,U,b,out)
        out=out.T.astype(np.float64)
        mx=out.max(1); lse=mx+np.log(np.exp(out-mx[:,None]).sum(1))
        rr=np.repeat(np.arange(Ts.shape[0]),np.diff(Ts.indptr))
        return float((out[rr,Ts.indices]-lse[rr]).mean())
    def scores(self, contexts, start, stop):
        out=np.empty((stop-start,contexts.shape[0]),np.float32)
        F=self.forbidden_
        _kernels.factorised.scores(contexts.indptr,contexts.indices,F.indptr[start:stop+1],F.indices,self.context_vectors_,self.target_vectors_[start:stop],self.intercept_[start:stop],out)
        return out
