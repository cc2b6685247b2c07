package sealedpush

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func TestAKeyFileIsPrivateAndNeverReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sender.key")
	if _, err := LoadSenderKey(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	key, _ := NewSenderKey()
	if err := key.Save(path); err != nil {
		t.Fatal(err)
	}
	status, _ := os.Stat(path)
	if status.Mode() != 0o600 {
		t.Error(status.Mode())
	}
	other, _ := NewSenderKey()
	if err := other.Save(path); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	if loaded, err := LoadSenderKey(path); err != nil || loaded.Public() != key.Public() {
		t.Error(err)
	}
	if names, _ := os.ReadDir(filepath.Dir(path)); len(names) != 1 {
		t.Error("a temporary file was left")
	}
	_ = os.Chmod(path, 0o640)
	expectReason(t, path, ReasonPermissions)
}

func TestOneOfManyProcessesMakesTheKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sender.key")
	var group sync.WaitGroup
	var mutex sync.Mutex
	made := 0
	for i := 0; i < 16; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			key, _ := NewSenderKey()
			err := key.Save(path)
			mutex.Lock()
			defer mutex.Unlock()
			if err == nil {
				made++
			} else if !errors.Is(err, fs.ErrExist) {
				t.Error(err)
			}
		}()
	}
	if group.Wait(); made != 1 {
		t.Error(made)
	}
}

func expectReason(t *testing.T, path, reason string) {
	t.Helper()
	var fault *FileError
	if _, err := LoadSenderKey(path); !errors.As(err, &fault) || fault.Reason != reason {
		t.Errorf("%v, not %q", err, reason)
	}
}

func TestWhatIsNoKeyFileIsRefused(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "key")
	seed := base64url.EncodeToString(bytes.Repeat([]byte{7}, 32))
	for text, reason := range map[string]string{
		"":                                 ReasonMalformed,
		"sealedpush-sender-key-1\n":        ReasonMalformed,
		"sealedpush-device-key-1\nsender ": ReasonMalformed,
		"sealedpush-sender-key-1\nsender " + seed[:42] + "\n":                              ReasonMalformed,
		"sealedpush-sender-key-1\nsender " + seed[:42] + "\r\n":                            ReasonMalformed,
		"sealedpush-sender-key-1\nsender  " + seed + "\n":                                  ReasonMalformed,
		"sealedpush-sender-key-1\nsender " + seed + " x\n":                                 ReasonMalformed,
		"sealedpush-sender-key-1\nsender " + seed + "\nname x\n":                           ReasonMalformed,
		"sealedpush-sender-key-1\nsender " + seed + "\nsender " + seed:                     ReasonMalformed,
		"sealedpush-sender-key-1\nsender " + strings.Repeat("A", 43) + "\n":                ReasonMalformed,
		"# SealedPush example key: x\nsealedpush-sender-key-1\nsender " + seed + "\n":      ReasonExampleKey,
		"sealedpush-sender-1:" + seed:                                                      ReasonPublicKey,
		strings.Repeat("#", keyFileSizeMax+1):                                              ReasonTooLarge,
		"# mine\nsealedpush-sender-key-1\n# the key\nsender " + seed + "\n# the end\n":     "",
		"sealedpush-sender-key-1\nsender " + seed + "\n" + strings.Repeat("\x00", 100):     ReasonMalformed,
		"sealedpush-sender-key-1\nsender " + strings.Replace(seed, seed[5:6], "=", 1) + "": ReasonMalformed,
	} {
		_ = os.WriteFile(path, []byte(text), 0o600)
		if reason == "" {
			if _, err := LoadSenderKey(path); err != nil {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		expectReason(t, path, reason)
	}
	expectReason(t, folder, ReasonNotAFile)
	pipe := filepath.Join(folder, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err == nil {
		expectReason(t, pipe, ReasonNotAFile)
	}
}

func TestFaultyMessagesAreRefusedByTheirMember(t *testing.T) {
	one, big, negative := 1, 10_000, -1
	pointer := Attachment{URL: "https://files.example.com/a", Size: 9, Stored: StoredSize(9), Type: "image/png"}
	with := func(change func(*Attachment)) []Attachment {
		changed := pointer
		change(&changed)
		return []Attachment{changed}
	}
	for _, test := range []struct {
		member  string
		message Message
	}{
		{"body", Message{}},
		{"body", Message{Subtitle: "s"}},
		{"op", Message{Op: "shout", Body: "b"}},
		{"target", Message{Op: OpReplace, Body: "b"}},
		{"target", Message{Target: &MessageID{}, Body: "b"}},
		{"target", Message{Op: OpRemove}},
		{"call", Message{Op: OpCall}},
		{"call", Message{Call: "c", Body: "b"}},
		{"badge", Message{Op: OpBadge}},
		{"badge", Message{Body: "b", Badge: &big}},
		{"badge", Message{Body: "b", Badge: &negative}},
		{"loc-args", Message{Body: "b", LocArgs: []string{"x"}}},
		{"title-loc-args", Message{TitleLocKey: "K", TitleLocArgs: make([]string, 9)}},
		{"sound-volume", Message{Body: "b", SoundVolume: "0.5"}},
		{"sound-volume", Message{Body: "b", Sound: "s", SoundVolume: "1.5"}},
		{"relevance-score", Message{Body: "b", RelevanceScore: "0.12345"}},
		{"level", Message{Body: "b", Level: "urgent"}},
		{"text", Message{Body: "a\x00b"}},
		{"text", Message{Body: "b", Title: "\xff"}},
		{"text", Message{LocKey: "K", LocArgs: []string{"\xff"}}},
		{"crit", Message{Body: "b", Critical: []string{"later"}}},
		{"crit", Message{Body: "b", Critical: []string{""}}},
		{"user-info", Message{Body: "b", UserInfo: map[string]any{"a b": 1}}},
		{"user-info", Message{Body: "b", UserInfo: map[string]any{"a": 1.5}}},
		{"attachments", Message{Op: OpTest, Attachments: []Attachment{pointer}}},
		{"attachments", Message{Body: "b", Attachments: []Attachment{pointer, pointer}}},
		{"attachments", Message{Body: "b", Attachments: make([]Attachment, 5)}},
		{"attachments", Message{Body: "b", Attachments: with(func(a *Attachment) { a.Thumbnail = true })}},
		{"attachments", Message{Body: "b", Attachments: with(func(a *Attachment) { a.Stored++ })}},
		{"attachments", Message{Body: "b", Attachments: with(func(a *Attachment) { a.Size = -1 })}},
		{"attachments", Message{Body: "b", Attachments: with(func(a *Attachment) { a.Type = "image/PNG" })}},
		{"attachments", Message{Body: "b", Attachments: with(func(a *Attachment) { a.Name = strings.Repeat("n", 65) })}},
		{"attachments", Message{Body: "b", Attachments: with(func(a *Attachment) { a.URL = "http://files.example.com/a" })}},
	} {
		var fault *MessageError
		if _, err := Prepare(test.message, now, Options{}); !errors.As(err, &fault) || fault.Member != test.member {
			t.Errorf("%s: %v", test.member, err)
		}
	}
	good := Message{Op: "show", Body: "b", Badge: &one, UserInfo: map[string]any{"a": int64(1), "b": true, "c": ""},
		Critical: []string{"badge"}, Attachments: []Attachment{pointer}}
	if _, err := Prepare(good, now, Options{}); err != nil {
		t.Error(err)
	}
}

func TestTimesAreThoseThatDevicesTake(t *testing.T) {
	text, call := Message{Body: "b"}, Message{Op: OpCall, Call: "c"}
	for i, test := range []struct {
		message Message
		at      time.Time
		options Options
		err     error
	}{
		{text, now, Options{Lifetime: 7 * 24 * time.Hour}, nil},
		{text, now, Options{Lifetime: 7*24*time.Hour + time.Millisecond}, BadLifetime},
		{text, now, Options{Lifetime: 30 * 24 * time.Hour, LifetimeMax: 30 * 24 * time.Hour}, nil},
		{text, now, Options{LifetimeMax: 30*24*time.Hour + 1}, BadLifetimeMax},
		{text, now, Options{LifetimeMax: -1}, BadLifetimeMax},
		{text, now, Options{Lifetime: time.Microsecond}, BadLifetime},
		{text, now, Options{Lifetime: -time.Hour}, BadLifetime},
		{text, time.UnixMilli(-1), Options{}, ErrTime},
		{text, time.UnixMilli(timeLimit - 1), Options{}, ErrTime},
		{call, now, Options{Lifetime: time.Minute}, nil},
		{call, now, Options{Lifetime: time.Minute + time.Millisecond}, BadCallLifetime},
	} {
		if _, err := Prepare(test.message, test.at, test.options); err != test.err {
			t.Errorf("%d: %v, not %v", i, err, test.err)
		}
	}
}

func TestALongTextIsCutBetweenCharactersOrRefused(t *testing.T) {
	for _, word := range []string{"word ", "é", "e\u0301 ", "字", "👩‍👩‍👧 ", "\"\\\n", "한국어 ", "हिन्दी "} {
		whole := strings.Repeat(word, 3000)
		prepared, err := Prepare(Message{Body: whole}, now, Options{})
		if err != nil {
			t.Fatal(word, err)
		}
		var text string
		if text = bodyOf(t, prepared); !strings.HasPrefix(whole, text) || !prepared.Truncated {
			t.Errorf("%q: not its beginning", word)
		}
		if len(prepared.body) > 2690 || len(prepared.body) < 2690-6*len(word) {
			t.Errorf("%q: %d bytes", word, len(prepared.body))
		}
		sender, _ := NewSenderKey()
		if frame := sender.frame(prepared, nil); frame[64] != 0 || frame[65] != 1 {
			t.Errorf("flags %x", frame[64:66])
		}
		var long *TooLongError
		if _, err = Prepare(Message{Body: whole}, now, Options{RefuseLong: true}); !errors.As(err, &long) || long.Excess < 1 {
			t.Error(err)
		}
	}
	// No place to cut, and a title that is too long itself.
	for _, message := range []Message{{Body: strings.Repeat("e\u0301", 3000)}, {Title: strings.Repeat("t", 3000), Body: "b"}} {
		if _, err := Prepare(message, now, Options{}); !errors.As(err, new(*TooLongError)) {
			t.Error(err)
		}
	}
	exact := Message{Body: strings.Repeat("b", 2690-len(`{"body":""}`))}
	if prepared, err := Prepare(exact, now, Options{}); err != nil || prepared.Truncated {
		t.Error(err)
	}
}

func TestNoCutSplitsACluster(t *testing.T) {
	for _, pair := range [][2]rune{{'e', 0x301}, {'\r', '\n'}, {0x1f469, 0x200d}, {0x200d, 0x1f469}, {0x1f1e6, 0x1f1e7},
		{0x1100, 0x1161}, {0x915, 0x94d}, {0x94d, 0x937}, {0x600, ' '}, {0x600, 'a'}, {0xff76, 0xff9e}, {0xe01, 0xe33}, {0xd4e, ' '}} {
		if isCut(pair[0], pair[1]) {
			t.Errorf("%U", pair)
		}
	}
}

func bodyOf(t *testing.T, prepared *Prepared) string {
	var message Message
	if err := json.Unmarshal(prepared.body, &message); err != nil {
		t.Fatal(err)
	}
	return message.Body
}

func TestSealingAgainKeepsIDAndTimesOnly(t *testing.T) {
	sender, _ := NewSenderKey()
	recipient := recipientOf(t, newPhone(1))
	receipt, _ := NewReceipt()
	prepared, err := Prepare(Message{Body: "b", Receipt: receipt}, now, Options{})
	if err != nil {
		t.Fatal(err)
	}
	first, err := sender.Seal(prepared, recipient, now)
	if err != nil {
		t.Fatal(err)
	}
	second, _ := sender.Seal(prepared, recipient, now.Add(time.Hour))
	if first.Field == second.Field || first.Trace == second.Trace || len(first.Field) != 3840 || len(first.Trace) != 22 {
		t.Error("copies are alike, or of another length")
	}
	if first.ReceiptHash != receipt.Hash() || len(receipt.Hash()) != 43 {
		t.Error("no receipt hash")
	}
	if _, err := sender.Seal(prepared, recipient, prepared.ExpiresAt); err != MessageExpired {
		t.Error(err)
	}
	later, _ := Prepare(Message{Body: "b"}, now.Add(48*time.Hour), Options{})
	if _, err := sender.Seal(later, recipient, now.Add(48*time.Hour)); err != PrekeyExpired {
		t.Error(err)
	}
	call, err := Prepare(Message{Op: OpCall, Call: "c"}, now, Options{})
	if err != nil {
		t.Fatal(err)
	}
	ringing, err := sender.Seal(call, recipient, now)
	if err != nil || len(ringing.Field) != 4864 || !ringing.Call {
		t.Error(err)
	}
	payload, err := ringing.Payload(Placeholder{})
	if err != nil || len(payload) != 4919 {
		t.Error(err, len(payload))
	}
	for _, bad := range []Placeholder{{}, {LocKey: "a\x00"}, {Body: strings.Repeat("b", 163)}} {
		if _, err := first.Payload(bad); err != BadPlaceholder {
			t.Error(err)
		}
	}
	if payload, err := first.Payload(Placeholder{Body: strings.Repeat("b", 162)}); err != nil || len(payload) != 4096 {
		t.Error(err, len(payload))
	}
	sender.Wipe()
	if _, err := sender.Seal(prepared, recipient, now); err == nil {
		t.Error("a wiped key signed")
	}
}

func TestNothingSecretIsPrinted(t *testing.T) {
	sender, _ := NewSenderKey()
	receipt, _ := NewReceipt()
	message := Message{Title: "hush", Body: "hush", Receipt: receipt}
	prepared, _ := Prepare(message, now, Options{})
	relay, _ := NewRelay("https://push.example.com", "spk_"+strings.Repeat("h", 43), HTTPOptions{})
	pointer := Attachment{Name: "hush", Key: AttachmentKey{104, 117, 115, 104}}
	secrets := []string{"hush", "hhhh", "104 117", base64url.EncodeToString(receipt[:]), fmt.Sprint(receipt[:]),
		base64url.EncodeToString(sender.Seed()), fmt.Sprint(sender.Seed())[1:60], fmt.Sprintf("%x", sender.Seed())}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%d", "%q"} {
		for _, value := range []any{sender, message, &message, prepared, relay, pointer, &pointer, *receipt, receipt, pointer.Key} {
			for _, secret := range secrets {
				if text := fmt.Sprintf(verb, value); strings.Contains(text, secret) {
					t.Errorf("%s of %T: %s", verb, value, text)
				}
			}
		}
	}
}

func TestAttachmentsOfAllLengthsOpen(t *testing.T) {
	for _, size := range []int64{0, 1, 2, 9, 100, chunkSize - 1, chunkSize, chunkSize + 1, 3 * chunkSize, 100_000} {
		file := bytes.Repeat([]byte{0xa5}, int(size))
		var stored bytes.Buffer
		pointer, err := SealAttachment(&stored, bytes.NewReader(file), size)
		if err != nil || int64(stored.Len()) != pointer.Stored {
			t.Fatal(size, err, stored.Len())
		}
		opened, err := openChunks(stored.Bytes(), pointer)
		if err != nil || !bytes.Equal(opened[:size], file) || bytes.Count(opened[size:], []byte{0}) != len(opened)-int(size) {
			t.Error(size, err)
		}
		for _, other := range []int64{size - 1, size + 1} {
			if other >= 0 {
				if _, err := SealAttachment(io.Discard, bytes.NewReader(file), other); err != ErrFileChanged {
					t.Error(size, other, err)
				}
			}
		}
	}
	if _, err := SealAttachment(io.Discard, bytes.NewReader(nil), attachmentSizeMax+1); err == nil {
		t.Error("too long a file was sealed")
	}
}

func TestMemoryDoesNotGrowWithTheFile(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := SealAttachment(io.Discard, io.LimitReader(zeros{}, 64<<20), 64<<20); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 256<<10 {
		t.Error(bytes, "bytes")
	}
}

type zeros struct{}

func (zeros) Read(out []byte) (int, error) { return len(out), nil }

func TestAFailedAttachmentLeavesNoFile(t *testing.T) {
	folder := t.TempDir()
	to := filepath.Join(folder, "sealed")
	if _, err := SealAttachmentFile(folder, to); err == nil {
		t.Error("a folder was sealed")
	}
	if _, err := SealAttachmentFile("/proc/version", to); err != ErrFileChanged {
		t.Error(err)
	}
	if _, err := os.Stat(to); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a part was left")
	}
	from := filepath.Join(folder, "file")
	_ = os.WriteFile(from, []byte("text"), 0o644)
	if _, err := SealAttachmentFile(from, to); err != nil {
		t.Error(err)
	}
	if status, _ := os.Stat(to); status.Mode() != 0o600 {
		t.Error(status.Mode())
	}
	if _, err := SealAttachmentFile(from, to); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
}

func TestSafetyCodesAreComparedAndNothingElse(t *testing.T) {
	one, other, third := [32]byte{1, 2}, [32]byte{3}, [32]byte{4}
	code := SafetyCode(one, other)
	for scanned, verdict := range map[string]SafetyVerdict{
		code: SafetyMatch, SafetyCode(one, third): SafetyMismatch, "": NotASafetyCode, code + "A": NotASafetyCode,
		code[1:]: NotASafetyCode, " " + code: NotASafetyCode,
		base64url.EncodeToString(append(append([]byte("SPS1"), other[:]...), one[:]...)): NotASafetyCode,
	} {
		if CompareSafetyCode(scanned, one, other) != verdict {
			t.Errorf("%q is not %s", scanned, verdict)
		}
	}
}

func BenchmarkSeal1000(b *testing.B) {
	sender, _ := NewSenderKey()
	p := newPhone(1)
	recipient, _, _ := p.device().Verify(p.bundle(1), nil, now)
	prepared, _ := Prepare(Message{Title: "Anna", Body: strings.Repeat("See you at eight. ", 10)}, now, Options{})
	for i := 0; i < b.N; i++ {
		for j := 0; j < 1000; j++ {
			if _, err := sender.Seal(prepared, recipient, now); err != nil {
				b.Fatal(err)
			}
		}
	}
}
