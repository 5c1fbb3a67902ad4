{ fadd.s ft0, ft0, ft1
        { nop }
