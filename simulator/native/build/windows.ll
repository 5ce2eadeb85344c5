; Windows calls it when it loads a library. This one has nothing to prepare.
define i32 @DllMainCRTStartup(ptr %library, i32 %reason, ptr %reserved) {
  ret i32 1
}
