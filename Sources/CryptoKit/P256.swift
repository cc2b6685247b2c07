/// cryptokit/p256
public enum P256 {}
