/// Nothing of Apple's: a build of this project that took it for CryptoKit would not compile.
public enum StubOfCryptoKit {}
