internal import Platform

/// Detects a build with the address or thread sanitizer, and so of the host, which comes from the same build. A
/// sanitizer's own memory would exceed the extension's limit many times.
enum Sanitizer {
    static let isPresent = initializers.contains { name in unsafe dlsym(nil, name) != nil }

    /// Functions that only a sanitizer's runtime has.
    private static let initializers: [String] = ["__asan_init", "__tsan_init"]
}
