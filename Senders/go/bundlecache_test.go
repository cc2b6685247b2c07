package sealedpush

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// bundleRelay answers POST /v1/bundles/query as a relay does, with a tag of the bundle's text.
type bundleRelay struct {
	*server
	mutex   sync.Mutex
	bundles map[string]string
	queries []bundleQuery
}

func newBundleRelay(t *testing.T) *bundleRelay {
	b := &bundleRelay{bundles: map[string]string{}}
	b.server = newServer(t, func(w http.ResponseWriter, r *http.Request) {
		b.mutex.Lock()
		defer b.mutex.Unlock()
		var query bundleQuery
		err := json.NewDecoder(r.Body).Decode(&query)
		if err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/bundles/query" || len(query.Devices) > 1000 {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		b.queries = append(b.queries, query)
		answer := make([]map[string]string, len(query.Devices))
		for i, item := range query.Devices {
			bundle, found := b.bundles[item.Device]
			answer[i] = map[string]string{"device": item.Device, "state": "missing"}
			if found && item.Tag == tagOf(bundle) {
				answer[i]["state"] = "unchanged"
			} else if found {
				answer[i] = map[string]string{"device": item.Device, "state": "current", "etag": tagOf(bundle),
					"bundle": bundle, "language": "de"}
			}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"bundles": answer})
	})
	return b
}

func tagOf(bundle string) string { return "tag-" + fmt.Sprint(len(bundle)) + bundle[len(bundle)-20:] }

func textOf(bundle Bundle) string { return base64url.EncodeToString(bundle.Bytes) }

func (b *bundleRelay) get(t *testing.T, cache *BundleCache, devices ...string) map[string]Bundle {
	t.Helper()
	bundles, err := b.relay(t).Bundles(context.Background(), devices, cache)
	if err != nil {
		t.Fatal(err)
	}
	return bundles
}

// tags of the last request, "-" for a device without one.
func (b *bundleRelay) tags() (tags []string) {
	for _, item := range b.queries[len(b.queries)-1].Devices {
		if item.Tag == "" {
			item.Tag = "-"
		}
		tags = append(tags, item.Tag)
	}
	return tags
}

func TestOneRequestFetchesWhatTheCacheDoesNotHave(t *testing.T) {
	b, cache := newBundleRelay(t), NewBundleCache(10)
	one, other := textOf(newPhone(1).bundle(1)), textOf(newPhone(2).bundle(1))
	b.bundles["d1"], b.bundles["d2"] = one, other
	start := time.Now()
	got := b.get(t, cache, "d1", "gone", "d2", "d1")
	if len(got) != 2 || textOf(got["d1"]) != one || textOf(got["d2"]) != other || len(b.queries[0].Devices) != 3 {
		t.Fatal(got, b.queries)
	}
	if fetchedAt := got["d1"].FetchedAt; fetchedAt.Before(start) || fetchedAt.After(time.Now()) {
		t.Error(fetchedAt)
	}
	if fmt.Sprint(b.tags()) != "[- - -]" {
		t.Error(b.tags())
	}
	newer := textOf(newPhone(2).bundle(2))
	b.bundles["d2"] = newer
	start = time.Now()
	got = b.get(t, cache, "d1", "d2")
	if textOf(got["d1"]) != one || textOf(got["d2"]) != newer || got["d1"].FetchedAt.Before(start) {
		t.Error("the cache gave other bytes, or an older time")
	}
	if fmt.Sprint(b.tags()) != fmt.Sprint([]string{tagOf(one), tagOf(other)}) {
		t.Error(b.tags())
	}
	if cache.entries.Len() != 2 {
		t.Error("a changed bundle has two copies")
	}
	delete(b.bundles, "d2")
	if got = b.get(t, cache, "d1", "d2"); len(got) != 1 || b.tags()[1] != tagOf(newer) {
		t.Error(got, b.tags())
	}
	// A device that is gone has no copy any more, and neither has one that was forgotten.
	cache.Forget("d1")
	cache.Forget("never there")
	if b.get(t, cache, "d1", "d2"); fmt.Sprint(b.tags()) != "[- -]" {
		t.Error(b.tags())
	}
}

func TestWhatIsFetchedNeedsNoCache(t *testing.T) {
	b := newBundleRelay(t)
	b.bundles["d1"] = textOf(newPhone(1).bundle(1))
	for i := 0; i < 2; i++ {
		if got := b.get(t, nil, "d1"); len(got) != 1 || b.tags()[0] != "-" {
			t.Error(got, b.tags())
		}
	}
	if got := b.get(t, nil); len(got) != 0 || len(b.queries) != 2 {
		t.Error("no device is no request")
	}
}

func TestARequestHasAThousandDevicesAtMost(t *testing.T) {
	b, cache := newBundleRelay(t), NewBundleCache(2001)
	bundle := textOf(newPhone(1).bundle(1))
	var devices []string
	for i := 0; i < 2001; i++ {
		devices = append(devices, fmt.Sprint("d", i))
		b.bundles[devices[i]] = bundle
	}
	for i := 0; i < 2; i++ {
		b.queries = nil
		if got := b.get(t, cache, devices...); len(got) != 2001 || textOf(got["d2000"]) != bundle {
			t.Fatal(len(got))
		}
		if len(b.queries) != 3 || len(b.queries[0].Devices) != 1000 || len(b.queries[2].Devices) != 1 {
			t.Error(len(b.queries), "requests")
		}
	}
	if b.tags()[0] != tagOf(bundle) {
		t.Error("no tag in the last request")
	}
}

func TestAFullCacheForgetsTheLongestUnused(t *testing.T) {
	b, cache := newBundleRelay(t), NewBundleCache(2)
	for i := 0; i < 4; i++ {
		b.bundles[fmt.Sprint("d", i)] = textOf(newPhone(byte(i)).bundle(1))
	}
	b.get(t, cache, "d0", "d1")
	b.get(t, cache, "d0")
	b.get(t, cache, "d2")
	if b.get(t, cache, "d0", "d1", "d2"); b.tags()[0] == "-" || b.tags()[1] != "-" || b.tags()[2] == "-" {
		t.Error(b.tags())
	}
	// A group that is larger than the cache: what pushed a copy out does not take it from this call.
	for i := 0; i < 2; i++ {
		got := b.get(t, cache, "d3", "d2", "d1", "d0")
		for device, bundle := range b.bundles {
			if textOf(got[device]) != bundle {
				t.Error(device, "has another bundle")
			}
		}
	}
	if cache.entries.Len() != 2 || len(cache.byDevice) != 2 {
		t.Error(cache.entries.Len(), "copies")
	}
}

func TestACachedBundleIsCheckedAgainstThePinsAtEachUse(t *testing.T) {
	b, cache, pins, p := newBundleRelay(t), NewBundleCache(10), &MemoryPins{}, newPhone(1)
	b.bundles["d1"] = textOf(p.bundle(7))
	use := func() error {
		_, err := p.device().Recipient(b.get(t, cache, "d1")["d1"], pins, now)
		return err
	}
	if err := use(); err != nil {
		t.Fatal(err)
	}
	if err := use(); err != nil || b.tags()[0] == "-" {
		t.Fatal(err, b.tags())
	}
	// Another process saw a newer bundle, which this relay withholds.
	if _, err := p.device().Recipient(p.bundle(8), pins, now); err != nil {
		t.Fatal(err)
	}
	if err := use(); err != RolledBack || b.tags()[0] == "-" {
		t.Error(err, b.tags())
	}
}

func TestACallersChangeOfABundleIsNotTheCaches(t *testing.T) {
	b, cache := newBundleRelay(t), NewBundleCache(10)
	b.bundles["d1"] = textOf(newPhone(1).bundle(1))
	for i := 0; i < 3; i++ {
		bundle := b.get(t, cache, "d1")["d1"]
		if textOf(bundle) != b.bundles["d1"] {
			t.Error("changed")
		}
		bundle.Bytes[0] ^= 1
	}
}

func TestAnAnswerAboutOtherBundlesIsRefused(t *testing.T) {
	bundle := textOf(newPhone(1).bundle(1))
	current := func(device, tag, bundle string) string {
		return `{"device":"` + device + `","state":"current","etag":"` + tag + `","bundle":"` + bundle + `"}`
	}
	for name, elements := range map[string]string{
		"none":                    "",
		"too few":                 current("d1", "t", bundle),
		"too many":                current("d1", "t", bundle) + "," + current("d2", "t", bundle) + "," + current("d3", "t", bundle),
		"another order":           current("d2", "t", bundle) + "," + current("d1", "t", bundle),
		"an unknown state":        current("d1", "t", bundle) + `,{"device":"d2","state":"gone"}`,
		"unchanged without a tag": current("d1", "t", bundle) + `,{"device":"d2","state":"unchanged"}`,
		"no bundle's text":        current("d1", "t", bundle) + "," + current("d2", "t", "!"),
		"a bundle too long":       current("d1", "t", bundle) + "," + current("d2", "t", strings.Repeat("A", 4000)),
		"no tag":                  current("d1", "t", bundle) + "," + current("d2", "", bundle),
		"a tag too long":          current("d1", "t", bundle) + "," + current("d2", strings.Repeat("t", 65), bundle),
		"a tag with a space":      current("d1", "t", bundle) + "," + current("d2", "t t", bundle),
		"a number":                "1",
	} {
		s := newServer(t, answers(200, `{"bundles":[`+elements+`]}`))
		got, err := s.relay(t).Bundles(context.Background(), []string{"d1", "d2"}, NewBundleCache(10))
		if !errors.As(err, new(*AnswerError)) || got != nil || len(s.bodies) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAQueryIsTriedAgainAndItsRefusalIsAProblem(t *testing.T) {
	s := newServer(t, problem(429, "too-many-requests", "Retry-After", "0"), broken, answers(200, `{"bundles":[{"device":"d1","state":"missing"}]}`))
	got, err := s.relay(t).Bundles(context.Background(), []string{"d1"}, nil)
	if err != nil || len(got) != 0 || len(s.bodies) != 3 || s.bodies[0] != `{"devices":[{"device":"d1"}]}` {
		t.Error(err, s.bodies)
	}
	s = newServer(t, problem(403, "forbidden"))
	if _, err := s.relay(t).Bundles(context.Background(), []string{"d1"}, nil); !errors.As(err, new(*Problem)) {
		t.Error(err)
	}
	for _, device := range []string{"", "a/b", strings.Repeat("d", 65)} {
		if _, err := s.relay(t).Bundles(context.Background(), []string{"d1", device}, nil); err != ErrDeviceID {
			t.Errorf("%q: %v", device, err)
		}
	}
	if len(s.bodies) != 1 {
		t.Error("a wrong id was sent")
	}
}

func TestABundleOfTheLongestFormIsRead(t *testing.T) {
	b := newBundleRelay(t)
	var devices []string
	for i := 0; i < 1000; i++ {
		devices = append(devices, fmt.Sprint("d", i))
		b.bundles[devices[i]] = strings.Repeat("A", 3784)
	}
	if got := b.get(t, nil, devices...); len(got) != 1000 || len(got["d999"].Bytes) != 2838 {
		t.Error(len(got))
	}
}

func TestASavedCacheIsReadWholeOrNotAtAll(t *testing.T) {
	b, cache := newBundleRelay(t), NewBundleCache(3)
	for i := 0; i < 3; i++ {
		b.bundles[fmt.Sprint("d", i)] = textOf(newPhone(byte(i)).bundle(1))
	}
	b.get(t, cache, "d0", "d1", "d2")
	b.get(t, cache, "d0")
	saved := cache.Encode()
	again, err := DecodeBundleCache(saved, 3)
	if err != nil || string(again.Encode()) != string(saved) {
		t.Fatal(err)
	}
	if b.get(t, again, "d0", "d1", "d2"); b.tags()[0] != tagOf(b.bundles["d0"]) || b.tags()[2] != tagOf(b.bundles["d2"]) {
		t.Error(b.tags())
	}
	// A smaller one keeps what was used last.
	smaller, err := DecodeBundleCache(saved, 1)
	if err != nil {
		t.Fatal(err)
	}
	if b.get(t, smaller, "d1", "d0"); b.tags()[0] != "-" || b.tags()[1] == "-" {
		t.Error(b.tags())
	}
	if empty, err := DecodeBundleCache(NewBundleCache(1).Encode(), 1); err != nil || empty.entries.Len() != 0 {
		t.Error(err)
	}
	for i := range saved {
		if _, err := DecodeBundleCache(saved[:i], 3); err != ErrBundleCache {
			t.Fatalf("%d bytes: %v", i, err)
		}
	}
	for _, text := range []string{"", "null", "{}", "[]", `{"bundles":1}`, `{"bundles":[null]}`, `{"bundles":[{}]}`,
		`{"bundles":[{"device":"a/b","etag":"t","bundle":"AA"}]}`, `{"bundles":[{"device":"d","etag":"","bundle":"AA"}]}`,
		`{"bundles":[{"device":"d","etag":"t","bundle":"A"}]}`,
		`{"bundles":[{"device":"d","etag":"t","bundle":"` + strings.Repeat("A", 4000) + `"}]}`} {
		if _, err := DecodeBundleCache([]byte(text), 3); err != ErrBundleCache {
			t.Errorf("%.50s: %v", text, err)
		}
	}
}

func TestGoroutinesOfOneClientAskOneAfterTheOther(t *testing.T) {
	isAsked, isOver := make(chan struct{}), make(chan struct{})
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		close(isAsked)
		<-isOver
		answers(200, `{"bundles":[{"device":"d1","state":"missing"}]}`)(w, r)
	}, problem(403, "forbidden"), answers(200, `{"bundles":[{"device":"d1","state":"missing"}]}`))
	relay := s.relay(t)
	ask := func(ctx context.Context) error {
		_, err := relay.Bundles(ctx, []string{"d1"}, nil)
		return err
	}
	first := make(chan error)
	go func() { first <- ask(context.Background()) }()
	<-isAsked
	// The second one would have its answer long before, if it did not wait for the first.
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := ask(ctx); err != context.DeadlineExceeded {
		t.Error(err)
	}
	close(isOver)
	if err := <-first; err != nil {
		t.Error(err)
	}
	// A failure leaves the way free.
	if err := ask(context.Background()); !errors.As(err, new(*Problem)) {
		t.Error(err)
	}
	if err := ask(context.Background()); err != nil || len(s.bodies) != 3 {
		t.Error(err, len(s.bodies))
	}
}

func TestManyGoroutinesShareACache(t *testing.T) {
	b, cache := newBundleRelay(t), NewBundleCache(5)
	for i := 0; i < 10; i++ {
		b.bundles[fmt.Sprint("d", i)] = textOf(newPhone(byte(i)).bundle(1))
	}
	relay := b.relay(t)
	var group sync.WaitGroup
	for i := 0; i < 8; i++ {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			for j := 0; j < 10; j++ {
				device := fmt.Sprint("d", (i+j)%10)
				got, err := relay.Bundles(context.Background(), []string{device, "d0"}, cache)
				if err != nil || textOf(got[device]) != textOf(newPhone(byte((i+j)%10)).bundle(1)) {
					t.Error(device, err)
				}
				cache.Encode()
			}
		}(i)
	}
	group.Wait()
	if cache.entries.Len() != 5 || len(cache.byDevice) != 5 {
		t.Error(cache.entries.Len(), "copies")
	}
}
