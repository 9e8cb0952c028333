#include <residua/codegen/targets/cpp/macros.hpp>

namespace residua::codegen {

namespace {

/// Those of cassert, cerrno, cfloat, climits, cmath, csignal, cstddef, cstdint, cstdio, cstdlib and ctime that do not begin
/// like a family below, and what compilers define on Unix.
constexpr std::string_view macros =
    " NULL EOF NAN INFINITY HUGE_VAL HUGE_VALF HUGE_VALL MAXFLOAT BUFSIZ FILENAME_MAX FOPEN_MAX TMP_MAX RAND_MAX EXIT_FAILURE"
    " EXIT_SUCCESS MB_CUR_MAX MB_LEN_MAX PATH_MAX NAME_MAX PIPE_BUF IOV_MAX SSIZE_MAX NSIG CHAR_BIT CHAR_MAX CHAR_MIN SCHAR_MAX"
    " SCHAR_MIN UCHAR_MAX SHRT_MAX SHRT_MIN USHRT_MAX LONG_MAX LONG_MIN ULONG_MAX LLONG_MAX LLONG_MIN ULLONG_MAX WCHAR_MAX"
    " WCHAR_MIN WINT_MAX WINT_MIN PTRDIFF_MAX PTRDIFF_MIN SIZE_MAX CLOCKS_PER_SEC TIME_UTC WEOF NOEXCEPT BYTE_ORDER BIG_ENDIAN"
    " LITTLE_ENDIAN PDP_ENDIAN F_OK R_OK W_OK X_OK FLT_EVAL_METHOD FLT_ROUNDS FLT_RADIX MATH_ERRNO MATH_ERREXCEPT"
    " alloca assert errno linux math_errhandling offsetof stderr stdin stdout unix i386 "
    " E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EAFNOSUPPORT EAGAIN EALREADY EBADF EBADMSG EBUSY ECANCELED ECHILD ECONNABORTED"
    " ECONNREFUSED ECONNRESET EDEADLK EDESTADDRREQ EDOM EDQUOT EEXIST EFAULT EFBIG EHOSTUNREACH EIDRM EILSEQ EINPROGRESS EINTR"
    " EINVAL EIO EISCONN EISDIR ELOOP EMFILE EMLINK EMSGSIZE EMULTIHOP ENAMETOOLONG ENETDOWN ENETRESET ENETUNREACH ENFILE"
    " ENOBUFS ENODATA ENODEV ENOENT ENOEXEC ENOLCK ENOLINK ENOMEM ENOMSG ENOPROTOOPT ENOSPC ENOSR ENOSTR ENOSYS ENOTCONN"
    " ENOTDIR ENOTEMPTY ENOTRECOVERABLE ENOTSOCK ENOTSUP ENOTTY ENXIO EOPNOTSUPP EOVERFLOW EOWNERDEAD EPERM EPIPE EPROTO"
    " EPROTONOSUPPORT EPROTOTYPE ERANGE EROFS ESPIPE ESRCH ESTALE ETIME ETIMEDOUT ETXTBSY EWOULDBLOCK EXDEV ";

constexpr std::string_view families[] = {"M_",       "INT_",    "UINT_",   "INT8_",   "INT16_",  "INT32_",   "INT64_",
                                         "UINT8_",   "UINT16_", "UINT32_", "UINT64_", "INTMAX_", "UINTMAX_", "INTPTR_",
                                         "UINTPTR_", "FP_",     "FLT_",    "DBL_",    "LDBL_",   "SEEK_",    "ATOMIC_",
                                         "XTENSOR_", "XTL_",    "XSIMD_",  "RESIDUA_"};

bool has_small_letter(std::string_view name) {
  for (char c : name)
    if (c >= 'a' && c <= 'z') return true;
  return false;
}

}  // namespace

bool is_macro(std::string_view name) {
  for (std::size_t at = macros.find(name); at != macros.npos; at = macros.find(name, at + 1))
    if (macros[at - 1] == ' ' && macros[at + name.size()] == ' ') return true;
  if (has_small_letter(name)) return false;
  if (name.starts_with("SIG") && name.size() > 3) return true;
  for (std::string_view family : families)
    if (name.starts_with(family)) return true;
  return false;
}

}  // namespace residua::codegen
