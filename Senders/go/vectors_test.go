package sealedpush

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/hkdf"
)

// vector is a file of Tests/Conformance/Vectors/sealedpush (its README.md has the format).
type vector struct {
	name   string
	fields map[string][]string
	input  []byte
}

func (v vector) one(name string) string {
	if values := v.fields[name]; len(values) != 0 {
		return values[0]
	}
	return ""
}

func (v vector) lines() []string { return strings.Split(string(v.input), "\n") }

func (v vector) bytes(name string) []byte { return decoded(v.one(name)) }

func decoded(text string) []byte {
	out, valid := decodeBase64URL(text)
	if !valid {
		panic("not base64url")
	}
	return out
}

func moment(text string) time.Time {
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return time.UnixMilli(ms)
}

func loadVectors(t *testing.T) (vectors []vector) {
	paths, _ := filepath.Glob("../../Tests/Conformance/Vectors/sealedpush/*.txt")
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		head, input, _ := bytes.Cut(text, []byte("\n\n"))
		v := vector{filepath.Base(path), map[string][]string{}, input}
		for _, line := range strings.Split(strings.TrimSuffix(string(head), "\n"), "\n") {
			name, value, _ := strings.Cut(line, ": ")
			v.fields[name] = append(v.fields[name], value)
		}
		vectors = append(vectors, v)
	}
	if len(vectors) < 500 {
		t.Fatalf("only %d vectors", len(vectors))
	}
	return vectors
}

// runners of the kinds that a sender has; an error is a failure.
var runners = map[string]func(vector) error{
	"seal": runSeal, "bundle": runBundle, "base64url": runBase64URL, "attachment-url": runURL,
	"safety-number": runSafety, "attachment": runAttachment, "announcement": runAnnouncement,
}

var notApplicable = map[string]string{
	"message":      "only a device opens messages",
	"announcement": "a sender makes none that is malformed, unsupported or badly signed",
	"json":         "only a device reads a body; this package writes it",
	"web-push":     "only a device opens Web Push, and any library of RFC 8291 seals it",
	"attachment":   "only a device judges stored bytes; what opens is sealed again here",
}

// isMade says that a sender of this package makes such input, where the kind has other input too.
func isMade(v vector) bool {
	switch v.one("kind") {
	case "attachment":
		return v.one("expect") == "opened"
	case "announcement":
		for _, expected := range v.fields["expect"] {
			if expected == "malformed" || expected == "unsupported" || expected == "bad-signature" {
				return false
			}
		}
	}
	return true
}

func TestVectors(t *testing.T) {
	type count struct{ run, passed, skipped int }
	counts := map[string]*count{}
	for _, v := range loadVectors(t) {
		kind := v.one("kind")
		if counts[kind] == nil {
			counts[kind] = &count{}
		}
		run := runners[kind]
		if run == nil && notApplicable[kind] == "" {
			t.Errorf("%s: a kind that nobody knows, %q", v.name, kind)
		}
		if run == nil || !isMade(v) {
			counts[kind].skipped++
			continue
		}
		counts[kind].run++
		if err := run(v); err != nil {
			t.Errorf("%s (%s): %v", v.name, v.one("title"), err)
			continue
		}
		counts[kind].passed++
	}
	var kinds []string
	for kind := range counts {
		kinds = append(kinds, kind)
	}
	sort.Strings(kinds)
	for _, kind := range kinds {
		n, reason := counts[kind], "-"
		if n.skipped != 0 {
			reason = notApplicable[kind]
		}
		fmt.Printf("go %s run %d passed %d not-applicable %d: %s\n", kind, n.run, n.passed, n.skipped, reason)
	}
}

func runSeal(v vector) error {
	now := moment(v.one("now"))
	class, _ := strconv.Atoi(v.one("class-of-prekey"))
	device := Device{Identity: IdentityKey(*(*[32]byte)(v.bytes("pinned"))), Topic: v.one("topic"), Class: Class(class)}
	bundle, err := ParseBundle(v.one("bundle"), now)
	if err != nil {
		return err
	}
	recipient, _, err := device.Verify(bundle, nil, now)
	if err != nil {
		return err
	}
	sender, err := SenderKeyFromSeed(v.bytes("sender-secret"))
	if err != nil {
		return err
	}
	var message Message
	reader := json.NewDecoder(strings.NewReader(v.one("body")))
	reader.DisallowUnknownFields()
	reader.UseNumber()
	if err := reader.Decode(&message); err != nil {
		return err
	}
	var id MessageID
	if err := id.UnmarshalText([]byte(v.one("message-id"))); err != nil {
		return err
	}
	prepared, err := PrepareAgain(message, id, moment(v.one("sent-at")), moment(v.one("expires-at")), Options{})
	if err != nil {
		return err
	}
	if string(prepared.body) != v.one("body") {
		return fmt.Errorf("another body: %s", prepared.body)
	}
	if fmt.Sprint(v.one("flags") == "1") != fmt.Sprint(prepared.Truncated) {
		return fmt.Errorf("other flags")
	}
	sealed, err := sender.seal(prepared, recipient, now, v.bytes("ephemeral"), v.bytes("trace"))
	if err != nil {
		return err
	}
	payload, err := sealed.Payload(Placeholder{LocKey: v.one("alert-loc-key")})
	if err != nil {
		return err
	}
	if string(payload) != v.one("payload") {
		return fmt.Errorf("another payload")
	}
	return nil
}

func runBundle(v vector) error {
	device := Device{Identity: IdentityKey(*(*[32]byte)(v.bytes("pinned"))), Topic: v.one("topic")}
	pins := &MemoryPins{}
	if pin := strings.Fields(v.one("pin")); len(pin) != 0 {
		var old Pin
		old.Epoch, _ = strconv.ParseUint(pin[0], 10, 64)
		copy(old.Digest[:], decoded(pin[1]))
		for i := range old.Suites {
			suite, _ := strconv.Atoi(pin[2+i])
			old.Suites[i] = uint8(suite)
		}
		_ = pins.Update(device, func(*Pin) (*Pin, error) { return &old, nil })
	}
	for i, line := range v.lines() {
		now := moment(v.fields["now"][i])
		became := "valid"
		bundle, err := ParseBundle(line, now)
		if err == nil {
			_, err = device.Recipient(bundle, pins, now)
		}
		if refusal, is := err.(BundleError); is && refusal != NoPrekey {
			became = string(refusal)
		} else if err != nil && !is {
			became = err.Error()
		}
		if became != v.fields["expect"][i] {
			return fmt.Errorf("input %d: %s, not %s", i, became, v.fields["expect"][i])
		}
	}
	return nil
}

func runBase64URL(v vector) error {
	became := "refused"
	out, valid := decodeBase64URL(string(v.input))
	if valid {
		became = "valid"
	}
	if expected := strings.Trim(v.one("bytes"), "-"); became != v.one("expect") || valid && hex.EncodeToString(out) != expected {
		return fmt.Errorf("%s, %x", became, out)
	}
	return nil
}

func runURL(v vector) error {
	became := "refused"
	host, port, path, valid := parseAttachmentURL(string(v.input))
	if valid {
		became = "valid"
	}
	if became != v.one("expect") || valid &&
		(host != v.one("host") || strconv.Itoa(port) != v.one("port") || path != v.one("path")) {
		return fmt.Errorf("%s, %q %d %q", became, host, port, path)
	}
	return nil
}

func runSafety(v vector) error {
	one, other := *(*[32]byte)(v.bytes("one")), *(*[32]byte)(v.bytes("other"))
	if SafetyNumber(one, other) != v.one("number") || SafetyNumber(other, one) != v.one("number") ||
		SafetyCode(one, other) != v.one("qr") || CompareSafetyCode(v.one("qr"), other, one) != SafetyMatch {
		return fmt.Errorf("%s %s", SafetyNumber(one, other), SafetyCode(one, other))
	}
	return nil
}

func runAttachment(v vector) error {
	var stored []byte
	for _, part := range strings.Fields(string(v.input)) {
		text, times, repeated := strings.Cut(part, "*")
		piece, err := hex.DecodeString(text)
		if err != nil {
			return err
		}
		if repeated {
			count, _ := strconv.Atoi(times)
			piece = bytes.Repeat(piece, count)
		}
		stored = append(stored, piece...)
	}
	size, _ := strconv.ParseInt(v.one("size"), 10, 64)
	pointer := &Attachment{Size: size}
	copy(pointer.Key[:], v.bytes("key"))
	copy(pointer.ID[:], v.bytes("id"))
	if int64(len(stored)) != StoredSize(size) {
		return fmt.Errorf("%d bytes are stored, not %d", len(stored), StoredSize(size))
	}
	file, err := openChunks(stored, pointer)
	if err != nil {
		return err
	}
	if digest := sha256.Sum256(file[:size]); base64url.EncodeToString(digest[:]) != v.one("file-sha256") &&
		hex.EncodeToString(digest[:]) != v.one("file-sha256") {
		return fmt.Errorf("another file")
	}
	var again bytes.Buffer
	if err := sealChunks(&again, bytes.NewReader(file[:size]), pointer, stored[:saltSize]); err != nil {
		return err
	}
	if !bytes.Equal(again.Bytes(), stored) {
		return fmt.Errorf("sealed to other bytes")
	}
	return nil
}

// openChunks is what a device does with right bytes, for tests alone: it gives the padded file.
func openChunks(stored []byte, pointer *Attachment) (file []byte, err error) {
	info := append([]byte(chunkFormat+"\x00"), stored[:saltSize]...)
	info = append(append(info, prefixed(attachmentContext)...), pointer.ID[:]...)
	keys := make([]byte, 76)
	_, _ = io.ReadFull(hkdf.Expand(sha512.New, pointer.Key[:], info), keys)
	if !bytes.Equal(keys[44:], stored[saltSize:56]) {
		return nil, fmt.Errorf("wrong key")
	}
	block, _ := aes.NewCipher(keys[:32])
	aead, _ := cipher.NewGCM(block)
	rest := stored[56:]
	for n := uint64(0); ; n++ {
		count := len(rest)
		if count > chunkSize+16 {
			count = chunkSize + 16
		}
		nonce := append([]byte(nil), keys[32:44]...)
		binary.BigEndian.PutUint64(nonce[4:], binary.BigEndian.Uint64(nonce[4:])^n)
		if file, err = aead.Open(file, nonce, rest[:count], nil); err != nil {
			return nil, err
		}
		if rest = rest[count:]; count < chunkSize+16 {
			return file, nil
		}
	}
}
