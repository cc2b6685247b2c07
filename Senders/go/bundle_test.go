package sealedpush

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/big"
	"math/rand"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/curve25519"
)

const topic = "com.example.chat"

var now = time.UnixMilli(1_800_000_000_000)

// phone makes bundles as a device does.
type phone struct {
	identity ed25519.PrivateKey
	prekey   []byte
}

func newPhone(seed byte) phone {
	return phone{ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, 32)), bytes.Repeat([]byte{seed + 1}, 32)}
}

func (p phone) device() Device {
	return Device{Identity: IdentityKey(*(*[32]byte)(p.identity.Public().(ed25519.PublicKey))), Topic: topic}
}

// bundle of one prekey of class 1; edit changes its bytes before they are signed.
func (p phone) bundle(epoch uint64, edit ...func([]byte)) Bundle {
	ms := uint64(now.UnixMilli())
	key, _ := curve25519.X25519(p.prekey, curve25519.Basepoint)
	text := append([]byte{1}, p.identity.Public().(ed25519.PublicKey)...)
	text = append(appendUint64(appendUint64(text, epoch), ms), prefixed(topic)...)
	text = append(appendUint64(appendUint64(append(text, 1, 1, 1), ms-1000), ms+86_400_000), key...)
	for _, change := range edit {
		change(text)
	}
	return Bundle{append(text, ed25519.Sign(p.identity, append(prefixed(bundleContext), text...))...), now}
}

func recipientOf(t *testing.T, p phone) *Recipient {
	recipient, _, err := p.device().Verify(p.bundle(1), nil, now)
	if err != nil {
		t.Fatal(err)
	}
	return recipient
}

func forEachStore(t *testing.T, check func(t *testing.T, pins PinStore)) {
	t.Run("memory", func(t *testing.T) { check(t, &MemoryPins{}) })
	t.Run("files", func(t *testing.T) {
		pins, err := NewFilePins(filepath.Join(t.TempDir(), "pins"))
		if err != nil {
			t.Fatal(err)
		}
		check(t, pins)
	})
}

func TestPinsRefuseWhatIsOlderOrOther(t *testing.T) {
	forEachStore(t, func(t *testing.T, pins PinStore) {
		p := newPhone(1)
		expect := func(bundle Bundle, expected error) {
			t.Helper()
			if _, err := p.device().Recipient(bundle, pins, now); err != expected {
				t.Errorf("%v, not %v", err, expected)
			}
		}
		expect(p.bundle(7), nil)
		expect(p.bundle(6), RolledBack)
		expect(p.bundle(7, func(b []byte) { b[len(b)-1] ^= 1 }), Equivocation)
		expect(newPhone(9).bundle(8), OtherIdentity)
		expect(p.bundle(8, func(b []byte) { b[1] ^= 1 }), OtherIdentity)
		expect(p.bundle(uint64(now.UnixMilli())+clockSkew+1), NotYetValid)
		broken := p.bundle(8)
		broken.Bytes[len(broken.Bytes)-1] ^= 1
		expect(broken, BadSignature)
		// None of these changed the pin.
		expect(p.bundle(7), nil)
		expect(p.bundle(8), nil)
		expect(p.bundle(7), RolledBack)
	})
}

func TestALowerSuiteIsRefusedUntilAPersonResetsIt(t *testing.T) {
	forEachStore(t, func(t *testing.T, pins PinStore) {
		p := newPhone(1)
		higher := &Pin{Epoch: 5, Suites: [2]uint8{2, 0}}
		if err := pins.Update(p.device(), func(*Pin) (*Pin, error) { return higher, nil }); err != nil {
			t.Fatal(err)
		}
		if _, err := p.device().Recipient(p.bundle(6), pins, now); err != SuiteDowngrade {
			t.Error(err)
		}
		if err := ResetSuites(pins, p.device()); err != nil {
			t.Fatal(err)
		}
		if _, err := p.device().Recipient(p.bundle(4), pins, now); err != RolledBack {
			t.Error("a reset forgot the epoch:", err)
		}
		if _, err := p.device().Recipient(p.bundle(6), pins, now); err != nil {
			t.Error(err)
		}
	})
}

func TestAMissingClassIsRefusedAndRemembered(t *testing.T) {
	p, pins := newPhone(1), &MemoryPins{}
	device := p.device()
	device.Class = Unlocked
	if _, err := device.Recipient(p.bundle(7), pins, now); err != NoPrekey {
		t.Error(err)
	}
	if _, err := p.device().Recipient(p.bundle(6), pins, now); err != RolledBack {
		t.Error(err)
	}
}

func TestADamagedPinIsAnErrorAndNeverNone(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "pins")
	pins, _ := NewFilePins(folder)
	p, other := newPhone(1), newPhone(2)
	if _, err := p.device().Recipient(p.bundle(7), pins, now); err != nil {
		t.Fatal(err)
	}
	slot := p.device().Slot()
	path := filepath.Join(folder, slot[:2], slot[2:])
	good, _ := os.ReadFile(path)
	if pin, valid := DecodePin(good, p.device()); !valid || pin.Epoch != 7 {
		t.Fatal("no pin was written")
	}
	if _, valid := DecodePin(good, other.device()); valid {
		t.Error("a pin of another device was read")
	}
	for i := 0; i <= len(good); i++ {
		bad := append([]byte(nil), good[:i]...)
		if i == len(good) {
			bad[20] ^= 1
		}
		_ = os.WriteFile(path, bad, 0o600)
		var fault *FileError
		if _, err := p.device().Recipient(p.bundle(8), pins, now); !errors.As(err, &fault) || fault.Reason != ReasonDamaged {
			t.Fatalf("%d bytes: %v", i, err)
		}
	}
	if err := os.Chmod(folder, 0o770); err != nil {
		t.Fatal(err)
	}
	if _, err := NewFilePins(folder); err == nil {
		t.Error("a folder that others may write to was taken")
	}
}

func TestManyProcessesShareAPin(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "pins")
	p := newPhone(1)
	var group sync.WaitGroup
	for i := uint64(1); i <= 40; i++ {
		group.Add(1)
		go func(epoch uint64) {
			defer group.Done()
			pins, err := NewFilePins(folder)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := p.device().Recipient(p.bundle(epoch), pins, now); err != nil && err != RolledBack {
				t.Error(err)
			}
		}(i)
	}
	group.Wait()
	pins, _ := NewFilePins(folder)
	if _, err := p.device().Recipient(p.bundle(39), pins, now); err != RolledBack {
		t.Error("a newer pin was lost:", err)
	}
}

func TestAnyBytesAreARefusalAndNoCrash(t *testing.T) {
	p := newPhone(1)
	good := p.bundle(7).Bytes
	judge := func(bytes []byte) {
		if _, _, err := p.device().Verify(Bundle{bytes, now}, nil, now); !errors.As(err, new(BundleError)) {
			t.Errorf("%x: %v", bytes, err)
		}
	}
	for i := range good {
		judge(good[:i])
		for bit := 0; bit < 8; bit++ {
			changed := append([]byte(nil), good...)
			changed[i] ^= 1 << bit
			judge(changed)
		}
	}
	random := rand.New(rand.NewSource(1))
	for i := 0; i < 2000; i++ {
		cut := random.Intn(len(good))
		noise := make([]byte, random.Intn(3000))
		random.Read(noise)
		judge(append(append([]byte(nil), good[:cut]...), noise...))
	}
	if _, err := ParseBundle(string(bytes.Repeat([]byte{'A'}, 1<<20)), now); err != Malformed {
		t.Error(err)
	}
}

func TestSignaturesOfSmallOrderAreRefused(t *testing.T) {
	var neutral [32]byte
	neutral[0] = 1
	// S = 0 and R = A = the neutral element: Go's own verifier takes it for any text.
	signature := append(append([]byte(nil), neutral[:]...), make([]byte, 32)...)
	if !ed25519.Verify(neutral[:], []byte("any"), signature) {
		t.Error("the library has become strict: this check may go")
	}
	if verify(neutral, []byte("any"), signature) {
		t.Error("a key of small order was taken")
	}
	// The y of the points of order 8: their doubles have y = 0, so d y^4 + 2 y^2 - 1 = 0 (curve of RFC 8032).
	p := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))
	d, _ := new(big.Int).SetString("37095705934669439343138083508754565189542113879843219016388785533085940283555", 10)
	for _, encoding := range smallOrder[3:] {
		y := new(big.Int)
		for i := 31; i >= 0; i-- {
			y.Lsh(y, 8).Or(y, big.NewInt(int64(encoding[i])))
		}
		y2 := new(big.Int).Mul(y, y)
		sum := new(big.Int).Mul(d, new(big.Int).Mul(y2, y2))
		sum.Add(sum, new(big.Int).Lsh(y2, 1)).Sub(sum, big.NewInt(1))
		if sum.Mod(sum, p).Sign() != 0 {
			t.Errorf("%x is not of order 8", encoding)
		}
	}
	for _, encoding := range smallOrder {
		text := identityPrefix + base64url.EncodeToString(encoding)
		if _, err := ParseIdentityKey(text); err != NotAKey {
			t.Errorf("%s: %v", text, err)
		}
	}
	beyond := bytes.Repeat([]byte{0xff}, 32)
	if beyond[0] = 0xf0; isAcceptable(beyond) {
		t.Error("a y above p was taken")
	}
}

func TestPublicKeysHaveRoles(t *testing.T) {
	sender, _ := NewSenderKey()
	text := sender.Public().String()
	if key, err := ParseSenderPublicKey(" " + text + "\n"); err != nil || key != sender.Public() {
		t.Error(err)
	}
	if _, err := ParseIdentityKey(text); err != WrongPrefix {
		t.Error(err)
	}
	for _, bad := range []string{"", identityPrefix, text[:len(text)-1], text + "A", "sealedpush-sender-1:" + text} {
		if _, err := ParseSenderPublicKey(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestFetchedAtFollowsTheSendersClock(t *testing.T) {
	p := newPhone(1)
	bundle := p.bundle(7)
	bundle.FetchedAt = now.Add(time.Hour)
	recipient, pin, err := p.device().Verify(bundle, nil, now)
	if err != nil || !recipient.FetchedAt.Equal(now) || pin.Digest != sha256.Sum256(bundle.Bytes) {
		t.Error(err, fmt.Sprint(recipient.FetchedAt))
	}
	if recipient.NeedsRefresh(now.Add(7*24*time.Hour - time.Second)) {
		t.Error("too early")
	}
	if !recipient.NeedsRefresh(now.Add(7*24*time.Hour)) || !recipient.NeedsRefresh(now.Add(-time.Second)) {
		t.Error("too late")
	}
}
