internal import Platform

/// Detects a build, and so a host, with the address or thread sanitizer, whose own memory would far exceed the
/// extension's limit.
enum Sanitizer {
    static let isPresent = initializers.contains { name in unsafe dlsym(nil, name) != nil }

    /// Functions that only a sanitizer's runtime has.
    private static let initializers: [String] = ["__asan_init", "__tsan_init"]
}
