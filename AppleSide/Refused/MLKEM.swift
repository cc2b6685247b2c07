import CryptoKit

// No library here has ML-KEM.
// error: is unavailable
let suite = HPKE.Ciphersuite.XWingMLKEM768X25519_SHA256_AES_GCM_256
