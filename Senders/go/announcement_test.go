package sealedpush

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// runAnnouncement makes each input once more, from the seeds of its keys, and compares all bytes.
func runAnnouncement(v vector) error {
	keys := map[SenderPublicKey]*SenderKey{}
	// The scenes about several keys use two more of the vector "replayed".
	seeds := append(vectorSeeds(strings.TrimSuffix(v.name, ".txt"))[2:4], vectorSeeds("announcement-replayed")[4:]...)
	for _, seed := range seeds {
		key, err := SenderKeyFromSeed(seed)
		if err != nil {
			return err
		}
		keys[key.Public()] = key
	}
	for i, line := range v.lines() {
		expected := decoded(line)
		topic := string(expected[43 : 43+int(expected[42])])
		sender := keys[*(*SenderPublicKey)(expected[2:34])]
		announcedAt := time.UnixMilli(int64(binary.BigEndian.Uint64(expected[34:])))
		if sender == nil {
			return fmt.Errorf("input %d: of a key that is not derived from the vector's name", i)
		}
		var made Announcement
		var err error
		if expected[1] == kindSuccessor {
			successor := keys[*(*SenderPublicKey)(expected[43+len(topic):][:32])]
			if successor == nil {
				return fmt.Errorf("input %d: a successor that is not derived from the vector's name", i)
			}
			made, err = sender.AnnounceSuccessor(successor, topic, announcedAt)
		} else {
			made, err = sender.AnnounceRevocation(topic, announcedAt)
		}
		if err != nil {
			return err
		}
		if made.String() != line {
			return fmt.Errorf("input %d: made other bytes", i)
		}
	}
	return nil
}

// vectorSeeds are the secrets behind a vector, of 32 bytes each: identity, prekey, sender, successor, two more. The
// vectors draw them by SplitMix64 from the vector's name (Tests/Conformance/VectorKit/Making/Actors.swift).
func vectorSeeds(name string) [][]byte {
	digest := sha256.Sum256([]byte(name))
	state := binary.BigEndian.Uint64(digest[:])
	seeds := make([][]byte, 6)
	for i := range seeds {
		for len(seeds[i]) < 32 {
			state += 0x9E3779B97F4A7C15
			mixed := state
			mixed = (mixed ^ mixed>>30) * 0xBF58476D1CE4E5B9
			mixed = (mixed ^ mixed>>27) * 0x94D049BB133111EB
			seeds[i] = append(seeds[i], byte(mixed^mixed>>31))
		}
	}
	return seeds
}

func TestBothKeysSignASuccessorAndTheOldOneARevocation(t *testing.T) {
	old, _ := NewSenderKey()
	successor, _ := NewSenderKey()
	check := func(key *SenderKey, signed []byte) {
		t.Helper()
		content, signature := signed[:len(signed)-64], signed[len(signed)-64:]
		if !verify(key.Public(), append(prefixed("SealedPush/1 sender"), content...), signature) {
			t.Error("a signature is wrong")
		}
	}
	made, err := old.AnnounceSuccessor(successor, topic, now)
	if err != nil || len(made) != 203+len(topic) {
		t.Fatal(err, len(made))
	}
	check(successor, made[:len(made)-64])
	check(old, made)
	made, err = old.AnnounceRevocation(topic, now)
	if err != nil || len(made) != 107+len(topic) {
		t.Fatal(err, len(made))
	}
	check(old, made)
}

func TestAnAnnouncementThatNoDeviceWouldTakeIsNotMade(t *testing.T) {
	old, _ := NewSenderKey()
	successor, _ := NewSenderKey()
	for _, one := range []struct {
		name      string
		successor *SenderKey
		topic     string
		at        time.Time
		expected  error
	}{
		{"itself", old, topic, now, ErrSameKey},
		{"no topic", successor, "", now, ErrTopic},
		{"a long topic", successor, strings.Repeat("a", 156), now, ErrTopic},
		{"another topic", successor, "com/example", now, ErrTopic},
		{"2^53", successor, topic, time.UnixMilli(timeLimit), ErrTime},
		{"before 1970", successor, topic, time.UnixMilli(-1), ErrTime},
	} {
		if made, err := old.AnnounceSuccessor(one.successor, one.topic, one.at); !errors.Is(err, one.expected) || made != nil {
			t.Errorf("%s: %v", one.name, err)
		}
		if one.successor == old {
			continue
		}
		if made, err := old.AnnounceRevocation(one.topic, one.at); !errors.Is(err, one.expected) || made != nil {
			t.Errorf("%s: %v", one.name, err)
		}
	}
	// The same key from another file is the same key.
	again, _ := SenderKeyFromSeed(old.Seed())
	if _, err := old.AnnounceSuccessor(again, topic, now); err != ErrSameKey {
		t.Error(err)
	}
	if _, err := old.AnnounceSuccessor(successor, topic, time.UnixMilli(timeLimit-1)); err != nil {
		t.Error(err)
	}
	successor.Wipe()
	if _, err := old.AnnounceSuccessor(successor, topic, now); err != ErrWiped {
		t.Error(err)
	}
	if _, err := successor.AnnounceRevocation(topic, now); err != ErrWiped {
		t.Error(err)
	}
}

func TestAnAnnouncementIsBase64URLAsTextAndInJSON(t *testing.T) {
	old, _ := NewSenderKey()
	made, _ := old.AnnounceRevocation(topic, now)
	if !bytes.Equal(decoded(made.String()), made) {
		t.Error("another text")
	}
	inJSON, err := json.Marshal(map[string]Announcement{"a": made})
	if err != nil || string(inJSON) != `{"a":"`+made.String()+`"}` {
		t.Errorf("%s: %v", inJSON, err)
	}
}
