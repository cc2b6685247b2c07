// Package seam seals with this package and sees the words on the screen of a real device behind the real simulator and
// relay. SEALEDPUSH and SEALEDPUSHD name the built programs.
package seam

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"sealedpush.example/sealedpush"
	"sealedpush.example/sealedpush/examples/howto"
)

const (
	topic = "com.example.chat"
	// Late is wrong only when it is very late: the machine may be busy.
	patience = 2 * time.Minute
)

type event map[string]any

func (e event) text(name string) string { return fmt.Sprint(e[name]) }

// child is a program whose lines of JSON are events.
type child struct {
	t      *testing.T
	name   string
	events chan event
}

func start(t *testing.T, folder, name string, words ...string) *child {
	t.Helper()
	command := exec.Command(name, words...)
	command.Dir, command.Stderr = folder, os.Stderr
	for _, variable := range os.Environ() {
		// The relay takes no variable with this prefix that it does not know.
		if !strings.HasPrefix(variable, "SEALEDPUSH") {
			command.Env = append(command.Env, variable)
		}
	}
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	c := &child{t, filepath.Base(name) + " " + words[0], make(chan event, 1000)}
	go func() {
		defer close(c.events)
		for lines := bufio.NewScanner(output); lines.Scan(); {
			var one event
			if json.Unmarshal(lines.Bytes(), &one) == nil {
				c.events <- one
			}
		}
	}()
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		_ = command.Wait()
	})
	return c
}

func (c *child) await(name string, matches func(event) bool) event {
	c.t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case one, open := <-c.events:
			if !open {
				c.t.Fatalf("%s ended before %q", c.name, name)
			}
			if one["event"] == name && (matches == nil || matches(one)) {
				return one
			}
		case <-deadline:
			c.t.Fatalf("%s: %q did not come", c.name, name)
		}
	}
}

// stage is a simulator with one device, and a back end's folder.
type stage struct {
	t      *testing.T
	folder string
	push   string
	// keys are what the simulator's provider signs with.
	keys   event
	device *child
	files  *httptest.Server
}

func (s *stage) path(name string) string { return filepath.Join(s.folder, name) }

func (s *stage) read(name string) string {
	text, err := os.ReadFile(s.path(name))
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

func (s *stage) write(name string, contents []byte) {
	if err := os.WriteFile(s.path(name), contents, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func program(t *testing.T, name string) string {
	path := os.Getenv(strings.ToUpper(name))
	if path == "" {
		path, _ = filepath.Abs("../../../.build/debug/" + name)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("no program %s: build it, or set %s", path, strings.ToUpper(name))
	}
	return path
}

func (s *stage) run(environment []string, name string, words ...string) string {
	s.t.Helper()
	text, err := s.try(environment, name, words...)
	if err != nil {
		s.t.Fatalf("%s: %v", name, err)
	}
	return text
}

func (s *stage) try(environment []string, name string, words ...string) (string, error) {
	command := exec.Command(name, words...)
	command.Dir, command.Env = s.folder, append(os.Environ(), environment...)
	var failures bytes.Buffer
	command.Stderr = &failures
	output, err := command.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, failures.String())
	}
	return strings.TrimSpace(string(output)), err
}

func (s *stage) example(name string) string {
	path := s.path("example-" + name)
	flags := []string{"build", "-o", path}
	if file := os.Getenv("MODFILE"); file != "" {
		flags = append(flags, "-modfile="+file)
	}
	command := exec.Command("go", append(flags, "../examples/"+name)...)
	if text, err := command.CombinedOutput(); err != nil {
		s.t.Fatalf("%v: %s", err, text)
	}
	return path
}

func newStage(t *testing.T) *stage {
	s := &stage{t: t, folder: t.TempDir()}
	tool := program(t, "sealedpush")
	simulator := start(t, s.folder, tool, "simulate", "--json", "--port", "0", "--device-port", "0", "--app", topic,
		"--folder", s.path("simulator"))
	ports := simulator.await("ready", nil)
	s.push = "localhost:" + ports.text("push-port")
	s.keys = simulator.await("keys", nil)
	s.makeCertificate()
	s.serveFiles()
	s.write("authorities.pem", []byte(s.read("simulator/ca.pem")+"\n"+s.read("tls.pem")+"\n"))
	public := s.run(nil, s.example("seal"))
	s.write("senders", []byte("sealedpush-contacts-1\nunknown-senders placeholder\n"+public+" service call Shop\n"))
	s.device = start(t, s.folder, tool, "device", "--json", "--topic", topic, "--senders", "senders",
		"--server", "localhost:"+ports.text("device-port"), "--ca", "authorities.pem", "--register", "voip=voip-token",
		"--bundle-out", "device.bundle", "--identity-out", "identity.pub", "--token-out", "token",
		"--files", strings.TrimPrefix(s.files.URL, "https://"))
	s.device.await("ready", nil)
	return s
}

// makeCertificate makes one for the host of files and for the relay, which vouches for itself.
func (s *stage) makeCertificate() {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		s.t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		DNSNames: []string{"localhost", "files.example.com"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		s.t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		s.t.Fatal(err)
	}
	s.write("tls.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}))
	s.write("tls.key", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}))
}

// serveFiles is a host that takes PUT with a signature and gives the files to everybody.
func (s *stage) serveFiles() {
	s.files = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := s.path(filepath.Base(r.URL.Path))
		if r.Method == http.MethodPut && r.URL.RawQuery == "signature=right" {
			body, _ := io.ReadAll(r.Body)
			_ = os.WriteFile(path, body, 0o600)
			return
		}
		http.ServeFile(w, r, path)
	}))
	certificate, err := tls.LoadX509KeyPair(s.path("tls.pem"), s.path("tls.key"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.files.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	s.files.StartTLS()
	s.t.Cleanup(s.files.Close)
}

func (s *stage) send(payload []byte, token string, words ...string) {
	s.t.Helper()
	s.write("push.json", payload)
	s.run(nil, program(s.t, "sealedpush"), append([]string{"send", "push.json", "--to-file", token,
		"--provider-key", "simulator/provider.p8", "--key-id", s.keys.text("key-id"), "--team-id", s.keys.text("team-id"),
		"--server", s.push, "--ca", "simulator/ca.pem"}, words...)...)
}

func (s *stage) seal(message sealedpush.Message) []byte {
	s.t.Helper()
	sender, err := sealedpush.LoadSenderKey(s.path("sender.key"))
	if err != nil {
		s.t.Fatal(err)
	}
	recipient, err := s.recipient("device.bundle")
	if err != nil {
		s.t.Fatal(err)
	}
	prepared, err := sealedpush.Prepare(message, time.Now(), sealedpush.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	sealed, err := sender.Seal(prepared, recipient, time.Now())
	if err != nil {
		s.t.Fatal(err)
	}
	payload, err := sealed.Payload(sealedpush.Placeholder{LocKey: "NEW"})
	if err != nil {
		s.t.Fatal(err)
	}
	return payload
}

func (s *stage) recipient(file string) (*sealedpush.Recipient, error) {
	pins, err := sealedpush.NewFilePins(s.path("pins"))
	if err != nil {
		return nil, err
	}
	bundle, err := sealedpush.ParseBundle(s.read(file), time.Now())
	if err != nil {
		return nil, err
	}
	return sealedpush.Device{Identity: s.identity(), Topic: topic}.Recipient(bundle, pins, time.Now())
}

func (s *stage) identity() sealedpush.IdentityKey {
	identity, err := sealedpush.ParseIdentityKey(s.read("identity.pub"))
	if err != nil {
		s.t.Fatal(err)
	}
	return identity
}

func (s *stage) roots() *x509.CertPool {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(s.read("tls.pem")))
	return roots
}

func TestWordsComeToTheScreen(t *testing.T) {
	s := newStage(t)
	s.send([]byte(s.run(nil, s.path("example-seal"), "identity.pub", "device.bundle")), "token", "--topic", topic)
	shown := s.device.await("shown", nil)
	if shown["title"] != "Anna" || shown["body"] != "See you at eight" {
		t.Errorf("%v", shown)
	}

	words := strings.Repeat("«Grüße» \"\\\u2028 字 👩‍👩‍👧 ", 200)
	s.send(s.seal(sealedpush.Message{Title: "long", Body: words}), "token", "--topic", topic)
	shown = s.device.await("shown", nil)
	if body := shown.text("body"); shown["title"] != "long" || len(body) < 1000 {
		t.Errorf("%v", shown)
	}

	id, err := s.sendPicture()
	if err != nil {
		t.Fatal(err)
	}
	shown = s.device.await("shown", nil)
	if files, _ := shown["attachments"].([]any); shown["title"] != "picture" || len(files) != 1 {
		t.Errorf("%s: %v", id, shown)
	}

	s.send(s.seal(sealedpush.Message{Op: sealedpush.OpCall, Call: "room 7", Sender: "Anna"}), "voip-token",
		"--topic", topic+".voip", "--expires", "0")
	call := s.device.await("call", nil)
	if call["caller"] != "Anna" || call["rings"] != true {
		t.Errorf("%v", call)
	}
}

func (s *stage) sendPicture() (string, error) {
	pointer, err := sealedpush.SealAttachmentFile("../../../keys-example/picture.png", s.path("sealed"))
	if err != nil {
		return "", err
	}
	// For the device files.example.com is this server.
	to := s.files.URL + "/v1/blobs/" + pointer.ID.String() + "?signature=right"
	url, err := sealedpush.UploadAttachment(context.Background(), s.path("sealed"), to,
		sealedpush.HTTPOptions{Roots: s.roots()})
	if err != nil {
		return "", err
	}
	pointer.URL = strings.Replace(url, s.files.URL, "https://files.example.com", 1)
	pointer.Type = "image/png"
	message := sealedpush.Message{Title: "picture", Attachments: []sealedpush.Attachment{*pointer}}
	s.send(s.seal(message), "token", "--topic", topic)
	return pointer.ID.String(), nil
}

func TestTheRelayBringsItToTheScreen(t *testing.T) {
	s := newStage(t)
	daemon := program(t, "sealedpushd")
	s.run(nil, daemon, "make-key", "token.key")
	printed := s.run(nil, daemon, "make-api-key")
	key := regexp.MustCompile(`spk_[\w-]{43}`).FindString(printed)
	hash := regexp.MustCompile(`hash\s+(\S+)`).FindStringSubmatch(printed)[1]
	host, port, _ := strings.Cut(s.push, ":")
	s.write("service.json", []byte(fmt.Sprintf(`{
		"listen": [{"address": "127.0.0.1", "port": 0}],
		"tls": {"certificate-file": "%[1]s/tls.pem", "key-file": "%[1]s/tls.key"},
		"database-file": "%[1]s/store.sqlite", "token-key-file": "%[1]s/token.key",
		"tenants": [{"id": "acme",
			"keys": [{"name": "back-end", "hash": "%[2]s", "scopes": ["send", "manage", "read"]}],
			"apps": [{"bundle-id": "%[3]s", "environment": "sandbox",
				"credential": {"key-file": "%[1]s/simulator/provider.p8", "key-id": "%[4]s", "team-id": "%[5]s"},
				"endpoint": {"host": "%[6]s", "port": %[7]s, "authorities-file": "%[1]s/simulator/ca.pem"},
				"placeholder": {"body": "You have a new message"}}]}]}`, s.folder, hash, topic,
		s.keys.text("key-id"), s.keys.text("team-id"), host, port)))
	service := start(t, s.folder, daemon, "--config", s.path("service.json"))
	address := "https://localhost:" + service.await("listening", nil).text("port")
	service.await("ready", nil)
	s.register(address, key)

	environment := []string{"RELAY=" + address, "RELAY_KEY=" + key, "RELAY_AUTHORITY=" + s.path("tls.pem"),
		"DEVICE=d1", "IDENTITY=" + s.read("identity.pub")}
	id := s.run(environment, s.example("send"))
	shown := s.device.await("shown", nil)
	if shown["body"] != "See you at nine" || shown["apns-id"] != id {
		t.Errorf("%s: %v", id, shown)
	}

	relay, err := sealedpush.NewRelay(address, key, sealedpush.HTTPOptions{Roots: s.roots()})
	if err != nil {
		t.Fatal(err)
	}
	var problem *sealedpush.Problem
	if _, err := relay.Bundle(context.Background(), "nobody"); !errors.As(err, &problem) ||
		problem.Type != "urn:sealedpush:problem:not-found" || problem.Detail == "" {
		t.Error(err)
	}
	clear := &sealedpush.Submission{Topic: topic, Class: "normal",
		Recipients: []sealedpush.SubmissionRecipient{{Device: "d1", Sealed: "clear"}}}
	if _, err := relay.Send(context.Background(), clear); !errors.As(err, &problem) || len(problem.Errors) == 0 {
		t.Error(err)
	}
	stranger, _ := sealedpush.NewRelay(address, "spk_"+strings.Repeat("A", 43), sealedpush.HTTPOptions{Roots: s.roots()})
	if _, err := stranger.Send(context.Background(), clear); !errors.As(err, &problem) || problem.Status != 401 {
		t.Error(err)
	}
	s.sendToGroup(relay)
}

// sendToGroup sends to the device twice, beside one that the relay never saw, and asks for a bundle that did not change.
func (s *stage) sendToGroup(relay *sealedpush.Relay) {
	key, err := sealedpush.LoadSenderKey(s.path("sender.key"))
	if err != nil {
		s.t.Fatal(err)
	}
	pins, err := sealedpush.NewFilePins(s.path("pins"))
	if err != nil {
		s.t.Fatal(err)
	}
	sender := &howto.Sender{Key: key, Pins: pins, Relay: relay, Cache: sealedpush.NewBundleCache(10)}
	device := sealedpush.Device{Identity: s.identity(), Topic: topic}
	group := map[string]sealedpush.Device{"d1": device, "nobody": device}
	for _, body := range []string{"fetched", "cached"} {
		prepared, err := sealedpush.Prepare(sealedpush.Message{Body: body}, time.Now(), sealedpush.Options{})
		if err != nil {
			s.t.Fatal(err)
		}
		left, err := sender.SendToGroup(context.Background(), group, prepared)
		if err != nil || len(left) != 1 || left["nobody"] != howto.ErrNotRegistered {
			s.t.Fatal(left, err)
		}
		if shown := s.device.await("shown", nil); shown["body"] != body {
			s.t.Errorf("%v", shown)
		}
	}

	// With the right tag and another bundle in the cache, what comes back is the cache's.
	saved := string(sender.Cache.Encode())
	other, err := sealedpush.DecodeBundleCache([]byte(strings.Replace(saved, s.read("device.bundle"), "AAEC", 1)), 10)
	if err != nil {
		s.t.Fatal(err)
	}
	got, err := relay.Bundles(context.Background(), []string{"nobody", "d1"}, other)
	if err != nil || len(got) != 1 || !bytes.Equal(got["d1"].Bytes, []byte{0, 1, 2}) {
		s.t.Error(got, err)
	}
	s.sendPartial(relay, key)
}

// sendPartial submits to a device that the relay does not know, first beside one that it knows, then alone.
func (s *stage) sendPartial(relay *sealedpush.Relay, key *sealedpush.SenderKey) {
	recipient, err := s.recipient("device.bundle")
	if err != nil {
		s.t.Fatal(err)
	}
	prepared, err := sealedpush.Prepare(sealedpush.Message{Body: "partial"}, time.Now(), sealedpush.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	var recipients []sealedpush.SubmissionRecipient
	for _, id := range []string{"nobody", "d1"} {
		sealed, err := key.Seal(prepared, recipient, time.Now())
		if err != nil {
			s.t.Fatal(err)
		}
		recipients = append(recipients, sealed.For(id))
	}
	submission := &sealedpush.Submission{Topic: topic, Class: "normal", Recipients: recipients}
	answer, err := relay.SendPartial(context.Background(), submission)
	if err != nil || len(answer.Accepted) != 1 || len(answer.Rejected) != 1 {
		s.t.Fatal(answer, err)
	}
	rejected := answer.Rejected[0]
	if rejected.Index != 0 || rejected.Device != "nobody" || rejected.Problem.Detail == "" ||
		rejected.Problem.Type != "urn:sealedpush:problem:invalid-fields" || rejected.Problem.Status != 422 {
		s.t.Errorf("%+v", rejected.Problem)
	}
	if shown := s.device.await("shown", nil); shown["body"] != "partial" || shown["apns-id"] != answer.Accepted[0].ID {
		s.t.Errorf("%v", shown)
	}
	again, err := relay.SendPartial(context.Background(), submission)
	if err != nil || fmt.Sprint(again.Accepted) != fmt.Sprint(answer.Accepted) || len(again.Rejected) != 1 {
		s.t.Error(again, err)
	}
	var problem *sealedpush.Problem
	alone := &sealedpush.Submission{Topic: topic, Class: "normal", Recipients: recipients[:1]}
	if _, err := relay.SendPartial(context.Background(), alone); !errors.As(err, &problem) || problem.Status != 422 {
		s.t.Error(err)
	}
}

// register is the app's back end's part (docs/service.md).
func (s *stage) register(address, key string) {
	body, _ := json.Marshal(map[string]string{"token": s.read("token"), "voip-token": s.read("voip-token"),
		"topic": topic, "environment": "sandbox", "bundle": s.read("device.bundle")})
	request, _ := http.NewRequest(http.MethodPut, address+"/v1/devices/d1", bytes.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: s.roots()}}}
	answer, err := client.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		text, _ := io.ReadAll(answer.Body)
		s.t.Fatalf("%d %s", answer.StatusCode, text)
	}
}

func TestKeysPinsAndNumbersAreTheToolsOwn(t *testing.T) {
	s := &stage{t: t, folder: t.TempDir()}
	tool := program(t, "sealedpush")
	s.run(nil, tool, "keygen", "device", "--topic", topic, "--out", s.folder)
	s.run(nil, tool, "keygen", "sender", "--out", s.folder)
	sender, err := sealedpush.LoadSenderKey(s.path("sender.key"))
	if err != nil || sender.Public().String() != s.read("sender.pub") {
		t.Fatal(err)
	}
	s.write("message.json", []byte(`{"body":"b"}`))
	seal := func(key, bundle string) error {
		_, err := s.try(nil, tool, "seal", "message.json", "--sender-key", key, "--bundle", bundle,
			"--identity", "identity.pub", "--topic", topic, "--pins", "pins")
		return err
	}
	// A key of this package in the tool, and the tool's pin in this package.
	mine, _ := sealedpush.NewSenderKey()
	if err := mine.Save(s.path("mine.key")); err != nil {
		t.Fatal(err)
	}
	time.Sleep(10 * time.Millisecond)
	s.run(nil, tool, "keygen", "bundle", "--device-key", "device.key", "--out", "newer.bundle")
	if err := seal("mine.key", "newer.bundle"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.recipient("device.bundle"); err != sealedpush.RolledBack {
		t.Error(err)
	}
	// The other way round.
	time.Sleep(10 * time.Millisecond)
	s.run(nil, tool, "keygen", "bundle", "--device-key", "device.key", "--out", "newest.bundle")
	if _, err := s.recipient("newest.bundle"); err != nil {
		t.Fatal(err)
	}
	if err := seal("mine.key", "newer.bundle"); err == nil {
		t.Error("the tool took a bundle that this package knows to be old")
	}
	if err := seal("mine.key", "newest.bundle"); err != nil {
		t.Error(err)
	}
	number := s.run(nil, tool, "safety-number", "sender.pub", "identity.pub")
	if expected := sealedpush.SafetyNumber(sender.Public(), s.identity()); !strings.Contains(number, expected) {
		t.Errorf("%s\n%s", number, expected)
	}
}
