package howto

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/curve25519"

	"sealedpush.example/sealedpush"
)

// bundleOf makes a device's bundle of one prekey of class 1 (section 3 of docs/protocol.md).
func bundleOf(identity ed25519.PrivateKey) string {
	now := uint64(time.Now().UnixMilli())
	prekey, _ := curve25519.X25519(bytes.Repeat([]byte{7}, 32), curve25519.Basepoint)
	text := append([]byte{1}, identity.Public().(ed25519.PublicKey)...)
	text = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(text, now), now)
	text = append(append(append(text, byte(len(Topic))), Topic...), 1, 1, 1)
	text = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(text, now), now+86_400_000)
	text = append(text, prekey...)
	context := "SealedPush/1 bundle"
	signature := ed25519.Sign(identity, append(append([]byte{byte(len(context))}, context...), text...))
	return base64.RawURLEncoding.EncodeToString(append(text, signature...))
}

type message = map[string]any

// relay knows each device but "gone", and rejects "full". It keeps the requests.
type relay struct {
	bundle   string
	requests []string
	bodies   []message
}

func (r *relay) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	var body message
	_ = json.NewDecoder(request.Body).Decode(&body)
	r.requests, r.bodies = append(r.requests, request.Method+" "+request.URL.Path), append(r.bodies, body)
	answer := message{}
	if request.URL.Path == "/v1/bundles/query" {
		var bundles []message
		for _, item := range body["devices"].([]any) {
			device, one := item.(message)["device"], message{"state": "current", "etag": "tag", "bundle": r.bundle}
			if device == "gone" {
				one = message{"state": "missing"}
			} else if item.(message)["etag"] == "tag" {
				one = message{"state": "unchanged"}
			}
			one["device"] = device
			bundles = append(bundles, one)
		}
		answer["bundles"] = bundles
	} else {
		notifications, rejected := []message{}, []message{}
		for i, item := range body["recipients"].([]any) {
			device := item.(message)["device"]
			if device == "full" {
				rejected = append(rejected, message{"index": i, "device": device, "problem": message{
					"type": "urn:sealedpush:problem:quota-exceeded", "title": "T", "status": 429, "detail": "Tomorrow."}})
				continue
			}
			notifications = append(notifications, message{"device": device, "id": fmt.Sprint("id-", i), "trace": "t"})
		}
		answer["notifications"], answer["rejected"] = notifications, rejected
		w.WriteHeader(http.StatusAccepted)
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func TestAGroupOfAThousandIsOneQueryAndOneSubmission(t *testing.T) {
	identity := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, 32))
	device := sealedpush.Device{Identity: *(*sealedpush.IdentityKey)(identity.Public().(ed25519.PublicKey)), Topic: Topic}
	stranger := device
	stranger.Identity[0] ^= 1
	handler := &relay{bundle: bundleOf(identity)}
	server := httptest.NewTLSServer(handler)
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	client, err := sealedpush.NewRelay(server.URL, "spk_"+strings.Repeat("K", 43), sealedpush.HTTPOptions{Roots: roots})
	if err != nil {
		t.Fatal(err)
	}
	key, _ := sealedpush.NewSenderKey()
	sender := &Sender{key, &sealedpush.MemoryPins{}, client, sealedpush.NewBundleCache(1000)}
	group := map[string]sealedpush.Device{"gone": device, "full": device, "stranger": stranger}
	for i := 0; i < 997; i++ {
		group[fmt.Sprint("d", i)] = device
	}
	prepared, err := sealedpush.Prepare(sealedpush.Message{Body: "See you at eight"}, time.Now(), sealedpush.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for round := 0; round < 2; round++ {
		handler.requests, handler.bodies = nil, nil
		left, err := sender.SendToGroup(context.Background(), group, prepared)
		if err != nil {
			t.Fatal(err)
		}
		var problem *sealedpush.Problem
		if len(left) != 3 || left["gone"] != ErrNotRegistered || left["stranger"] != sealedpush.OtherIdentity ||
			!errors.As(left["full"], &problem) || problem.Type != "urn:sealedpush:problem:quota-exceeded" {
			t.Error(left)
		}
		if fmt.Sprint(handler.requests) != "[POST /v1/bundles/query POST /v1/notifications]" {
			t.Error(handler.requests)
		}
		tagged := 0
		for _, item := range handler.bodies[0]["devices"].([]any) {
			if item.(message)["etag"] != nil {
				tagged++
			}
		}
		// The second round has a copy of all but the one that is gone and the one whose bundle was refused.
		if tagged != round*998 || len(handler.bodies[1]["recipients"].([]any)) != 998 {
			t.Error(tagged, "tags,", len(handler.bodies[1]["recipients"].([]any)), "recipients")
		}
	}
}

func TestANewKeyIsSavedBeforeItIsAnnounced(t *testing.T) {
	old, _ := sealedpush.NewSenderKey()
	path := filepath.Join(t.TempDir(), "next.key")
	next, announcement, err := NewKey(old, path)
	if err != nil {
		t.Fatal(err)
	}
	saved, err := sealedpush.LoadSenderKey(path)
	if err != nil || saved.Public() != next.Public() || next.Public() == old.Public() {
		t.Error(err)
	}
	if public := next.Public(); len(announcement) != 203+len(Topic) || !bytes.Contains(announcement, public[:]) {
		t.Error(announcement)
	}
	// The file that is there is never replaced, and nothing is announced.
	if _, announcement, err := NewKey(old, path); err == nil || announcement != nil {
		t.Error(err)
	}
}
