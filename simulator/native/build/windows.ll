; What a library for Windows has beside its kernels.

; Called when it is loaded. It has nothing to prepare.
define i32 @DllMainCRTStartup(ptr %library, i32 %reason, ptr %reserved) {
  ret i32 1
}

declare double @sin(double)
declare double @cos(double)

; LLVM calls it for a sine and a cosine of one angle, as in GNU's C library. That of Windows does not have it.
define void @sincos(double %angle, ptr %sine, ptr %cosine) {
  %s = call double @sin(double %angle)
  store double %s, ptr %sine
  %c = call double @cos(double %angle)
  store double %c, ptr %cosine
  ret void
}
