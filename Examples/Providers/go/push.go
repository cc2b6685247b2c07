// Pushes with Go's standard library. The simulator's address, the key and a device token are in the environment.
package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"time"
)

// Answer is APNs' answer: a reason unless it is 200, and for a 410 since when, in milliseconds since 1970.
type Answer struct {
	Status    int
	ID        string
	Reason    string `json:"reason"`
	Timestamp int64  `json:"timestamp"`
}

// Provider is one for the life of the process: Apple takes many connections for an attack.
type Provider struct {
	server, keyID, teamID, topic string
	client                       *http.Client
	key                          *ecdsa.PrivateKey
	bearer                       string
	issuedAt                     time.Time
}

func newProvider(server, authority, key, keyID, teamID, topic string) (*Provider, error) {
	roots := x509.NewCertPool()
	authorityPEM, err := os.ReadFile(authority)
	if err != nil || !roots.AppendCertsFromPEM(authorityPEM) {
		return nil, fmt.Errorf("%s has no certificate: %v", authority, err)
	}
	keyPEM, err := os.ReadFile(key)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(keyPEM)
	if block == nil {
		return nil, errors.New(key + " is not PEM")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	signer, isECDSA := parsed.(*ecdsa.PrivateKey)
	if !isECDSA {
		return nil, errors.New(key + " is no key for ES256")
	}
	// A transport with a TLS configuration of its own speaks HTTP/2 only if told to.
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
	client := &http.Client{Transport: transport}
	return &Provider{server: server, keyID: keyID, teamID: teamID, topic: topic, client: client, key: signer}, nil
}

// Apple takes a token for an hour, and wants a new one every 20 minutes at most.
func (p *Provider) token() (string, error) {
	now := time.Now()
	if now.Sub(p.issuedAt) < 40*time.Minute {
		return p.bearer, nil
	}
	header := fmt.Sprintf(`{"alg":"ES256","kid":%q}`, p.keyID)
	claims := fmt.Sprintf(`{"iss":%q,"iat":%d}`, p.teamID, now.Unix())
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(header)) + "." + encode([]byte(claims))
	digest := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, p.key, digest[:])
	if err != nil {
		return "", err
	}
	// 32 bytes of each number: not the DER of SignASN1.
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	p.bearer, p.issuedAt = signed+"."+encode(signature), now
	return p.bearer, nil
}

func (p *Provider) push(deviceToken string, payload any) (answer Answer, err error) {
	body, err := json.Marshal(payload)
	if err != nil {
		return answer, err
	}
	token, err := p.token()
	if err != nil {
		return answer, err
	}
	url := "https://" + p.server + "/3/device/" + deviceToken
	request, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return answer, err
	}
	request.Header.Set("authorization", "bearer "+token)
	request.Header.Set("apns-push-type", "alert")
	request.Header.Set("apns-topic", p.topic)
	response, err := p.client.Do(request)
	if err != nil {
		return answer, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		if err = json.NewDecoder(response.Body).Decode(&answer); err != nil {
			return answer, err
		}
	}
	// Read to its end, the connection serves the next push.
	io.Copy(io.Discard, response.Body)
	answer.Status, answer.ID = response.StatusCode, response.Header.Get("apns-id")
	return answer, nil
}

// A back end's action for an answer.
func actOn(answer Answer) string {
	switch {
	case answer.Status == http.StatusOK:
		return "accepted"
	case answer.Status == http.StatusGone:
		return fmt.Sprintf("the app is gone: delete the token, unless it was registered after %d", answer.Timestamp)
	case answer.Reason == "BadDeviceToken":
		return "not a token of this environment: do not send again"
	default:
		return "not expected"
	}
}

func main() {
	provider, err := newProvider(os.Getenv("APNS_SERVER"), os.Getenv("APNS_AUTHORITY"), os.Getenv("APNS_KEY"),
		os.Getenv("APNS_KEY_ID"), os.Getenv("APNS_TEAM_ID"), os.Getenv("APNS_TOPIC"))
	if err != nil {
		log.Fatal(err)
	}
	alert := map[string]string{"title": "Hello", "body": "from Go"}
	payload := map[string]any{"aps": map[string]any{"alert": alert, "sound": "default"}}
	type try struct {
		deviceToken string
		status      int
		reason      string
	}
	tries := []try{{os.Getenv("DEVICE_TOKEN"), 200, ""}, {strings.Repeat("ab", 32), 400, "BadDeviceToken"}}
	if gone := os.Getenv("GONE_TOKEN"); gone != "" {
		tries = append(tries, try{gone, 410, "Unregistered"})
	}
	for _, try := range tries {
		answer, err := provider.push(try.deviceToken, payload)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(answer.Status, "apns-id", answer.ID, answer.Reason, actOn(answer))
		if answer.Status != try.status || answer.Reason != try.reason {
			log.Fatalf("expected %d %s", try.status, try.reason)
		}
	}
}
