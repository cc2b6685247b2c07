internal import Platform

/// Whether this program was built with the address or thread sanitizer, and so the extension's host, which the same build
/// made. What a sanitizer keeps about the memory is many times the memory itself: a limit would end every extension.
enum Sanitizer {
    static let isPresent = initializers.contains { name in unsafe dlsym(nil, name) != nil }

    /// Functions that only a sanitizer's runtime has.
    private static let initializers: [String] = ["__asan_init", "__tsan_init"]
}
