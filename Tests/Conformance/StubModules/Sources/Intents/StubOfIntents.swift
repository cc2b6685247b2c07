/// Nothing of Apple's.
public enum StubOfIntents {}
