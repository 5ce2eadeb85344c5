; The level of this processor: 3 (x86-64-v3) if it has AVX2, BMI1, BMI2, FMA, F16C, MOVBE and LZCNT and the system saves
; the wide registers, else 2. System V psABI for x86-64, section 3.1.1; Intel SDM, CPUID and XGETBV.
define internal { i32, i32, i32, i32 } @cpuid(i32 %leaf) {
  %all = call { i32, i32, i32, i32 } asm sideeffect "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}"(i32 %leaf, i32 0)
  ret { i32, i32, i32, i32 } %all
}

define i32 @level() {
entry:
  %one = call { i32, i32, i32, i32 } @cpuid(i32 1)
  %features = extractvalue { i32, i32, i32, i32 } %one, 2
  ; FMA 12, MOVBE 22, OSXSAVE 27, AVX 28, F16C 29
  %first = and i32 %features, 943722496
  %has_first = icmp eq i32 %first, 943722496
  br i1 %has_first, label %saved, label %low
saved:
  %registers = call { i32, i32 } asm sideeffect "xgetbv", "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}"(i32 0)
  %enabled = extractvalue { i32, i32 } %registers, 0
  %wide = and i32 %enabled, 6
  %is_saved = icmp eq i32 %wide, 6
  br i1 %is_saved, label %more, label %low
more:
  %seven = call { i32, i32, i32, i32 } @cpuid(i32 7)
  %extended = extractvalue { i32, i32, i32, i32 } %seven, 1
  ; BMI1 3, AVX2 5, BMI2 8
  %second = and i32 %extended, 296
  %has_second = icmp eq i32 %second, 296
  %last = call { i32, i32, i32, i32 } @cpuid(i32 -2147483647)
  %others = extractvalue { i32, i32, i32, i32 } %last, 2
  ; LZCNT 5
  %third = and i32 %others, 32
  %has_third = icmp ne i32 %third, 0
  %has_all = and i1 %has_second, %has_third
  br i1 %has_all, label %high, label %low
high:
  ret i32 3
low:
  ret i32 2
}
