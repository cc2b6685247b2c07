package sealedpush

import (
	"crypto/sha256"
	"io"

	"golang.org/x/crypto/chacha20poly1305"
	"golang.org/x/crypto/curve25519"
	"golang.org/x/crypto/hkdf"
)

// Suite identifiers of RFC 9180: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, ChaCha20-Poly1305.
const (
	kemSuite  = "KEM\x00\x20"
	hpkeSuite = "HPKE\x00\x20\x00\x01\x00\x03"
)

// hpkeSeal is RFC 9180's single-shot seal in base mode (sections 4.1, 5.1 and 6.1): sequence number 0, no aad.
func hpkeSeal(recipient [32]byte, ephemeral, info, plaintext []byte) (enc, ciphertext []byte, err error) {
	enc, err = curve25519.X25519(ephemeral, curve25519.Basepoint)
	if err != nil {
		return nil, nil, err
	}
	// An all-zero secret is an error of X25519.
	shared, err := curve25519.X25519(ephemeral, recipient[:])
	if err != nil {
		return nil, nil, err
	}
	prk := labeledExtract(kemSuite, nil, "eae_prk", shared)
	context := append(append([]byte(nil), enc...), recipient[:]...)
	secret := labeledExpand(kemSuite, prk, "shared_secret", context, 32)

	schedule := append([]byte{0}, labeledExtract(hpkeSuite, nil, "psk_id_hash", nil)...)
	schedule = append(schedule, labeledExtract(hpkeSuite, nil, "info_hash", info)...)
	exporter := labeledExtract(hpkeSuite, secret, "secret", nil)
	key := labeledExpand(hpkeSuite, exporter, "key", schedule, chacha20poly1305.KeySize)
	nonce := labeledExpand(hpkeSuite, exporter, "base_nonce", schedule, chacha20poly1305.NonceSize)
	defer wipe(shared, prk, secret, exporter, key)

	aead, err := chacha20poly1305.New(key)
	if err != nil {
		return nil, nil, err
	}
	return enc, aead.Seal(nil, nonce, plaintext, nil), nil
}

func labeledExtract(suite string, salt []byte, label string, input []byte) []byte {
	labeled := append([]byte("HPKE-v1"+suite+label), input...)
	defer wipe(labeled)
	return hkdf.Extract(sha256.New, labeled, salt)
}

func labeledExpand(suite string, prk []byte, label string, info []byte, length int) []byte {
	labeled := append([]byte{byte(length >> 8), byte(length)}, "HPKE-v1"+suite+label...)
	out := make([]byte, length)
	// Fails only beyond 255 hashes.
	_, _ = io.ReadFull(hkdf.Expand(sha256.New, prk, append(labeled, info...)), out)
	return out
}
