package sealedpush

import (
	"container/list"
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"sync"
	"time"
)

// BundleCache holds the devices' bundles, each with the relay's tag of it, so that Relay.Bundles fetches only what
// changed. It may be used by many goroutines.
//
// It is not trusted: Device.Recipient checks a bundle at each use, against the pins too.
type BundleCache struct {
	countMax int
	mutex    sync.Mutex
	// entries have the *cachedBundle that was used last in front.
	entries  list.List
	byDevice map[string]*list.Element
}

// cachedBundle is one device's. The bundle stays text, which no caller can change.
type cachedBundle struct {
	Device string `json:"device"`
	Tag    string `json:"etag"`
	Bundle string `json:"bundle"`
}

// ErrBundleCache says that bytes are no cache of BundleCache.Encode. Begin with an empty one: it costs a fetch.
const ErrBundleCache = constantError("not a saved bundle cache: begin with an empty one")

// bundleQueryMax is how many devices one request may ask for.
const bundleQueryMax = 1000

var tagPattern = regexp.MustCompile(`\A[!-~]{1,64}\z`)

// NewBundleCache makes an empty cache for so many devices; the one that was used longest ago makes room for another.
// It should hold the largest group. A copy has some 300 characters with one prekey, at most 3,912.
func NewBundleCache(countMax int) *BundleCache {
	return &BundleCache{countMax: countMax, byDevice: map[string]*list.Element{}}
}

// Forget removes a device's copy, so that it is fetched whole again: one that Device.Recipient refuses may be damaged.
func (c *BundleCache) Forget(device string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.remove(device)
}

func (c *BundleCache) remove(device string) {
	if element, found := c.byDevice[device]; found {
		c.entries.Remove(element)
		delete(c.byDevice, device)
	}
}

// get is nil for a device without a copy.
func (c *BundleCache) get(device string) *cachedBundle {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	element, found := c.byDevice[device]
	if !found {
		return nil
	}
	c.entries.MoveToFront(element)
	return element.Value.(*cachedBundle)
}

func (c *BundleCache) put(entry *cachedBundle) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.remove(entry.Device)
	c.byDevice[entry.Device] = c.entries.PushFront(entry)
	for c.entries.Len() > c.countMax {
		c.remove(c.entries.Back().Value.(*cachedBundle).Device)
	}
}

// savedBundles is the form of Encode, with the relay's names.
type savedBundles struct {
	Bundles []*cachedBundle `json:"bundles"`
}

// Encode gives the cache as JSON, for the caller to keep. It holds no secret, but shows whose devices there are.
func (c *BundleCache) Encode() []byte {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	saved := savedBundles{Bundles: []*cachedBundle{}}
	for element := c.entries.Back(); element != nil; element = element.Prev() {
		saved.Bundles = append(saved.Bundles, element.Value.(*cachedBundle))
	}
	// Three strings of ASCII each: there is nothing that JSON could refuse.
	encoded, _ := marshal(saved)
	return encoded
}

// DecodeBundleCache reads what Encode gave, whole or not at all; the error is ErrBundleCache.
func DecodeBundleCache(encoded []byte, countMax int) (*BundleCache, error) {
	var saved savedBundles
	if json.Unmarshal(encoded, &saved) != nil || saved.Bundles == nil {
		return nil, ErrBundleCache
	}
	cache := NewBundleCache(countMax)
	for _, entry := range saved.Bundles {
		if entry == nil || !entry.isValid() {
			return nil, ErrBundleCache
		}
		cache.put(entry)
	}
	return cache, nil
}

func (b *cachedBundle) isValid() bool {
	_, err := ParseBundle(b.Bundle, time.Time{})
	return err == nil && deviceIDPattern.MatchString(b.Device) && tagPattern.MatchString(b.Tag)
}

// Bundles fetches the bundles of many devices, for Device.Recipient to verify: one request for each 1,000 devices, which
// answers with the bundles that the cache does not have. A device that the relay does not know is not in the map. The
// cache may be nil.
//
// The relay answers one such request of a tenant at a time: goroutines take turns here, and another process waits by
// the usual retries.
//
// Errors: ErrDeviceID, *Problem, *ConnectionError, *AnswerError, the context's.
func (r *Relay) Bundles(ctx context.Context, devices []string, cache *BundleCache) (map[string]Bundle, error) {
	if cache == nil {
		cache = NewBundleCache(0)
	}
	bundles := make(map[string]Bundle, len(devices))
	asked := make(map[string]bool, len(devices))
	var distinct []string
	for _, device := range devices {
		if !deviceIDPattern.MatchString(device) {
			return nil, ErrDeviceID
		}
		if !asked[device] {
			asked[device] = true
			distinct = append(distinct, device)
		}
	}
	for len(distinct) != 0 {
		count := len(distinct)
		if count > bundleQueryMax {
			count = bundleQueryMax
		}
		if err := r.query(ctx, distinct[:count], cache, bundles); err != nil {
			return nil, err
		}
		distinct = distinct[count:]
	}
	return bundles, nil
}

// bundleQuery is the body of POST /v1/bundles/query.
type bundleQuery struct {
	Devices []bundleQueryItem `json:"devices"`
}

type bundleQueryItem struct {
	Device string `json:"device"`
	Tag    string `json:"etag,omitempty"`
}

type bundleAnswer struct {
	cachedBundle
	State string `json:"state"`
}

// query asks for 1 to 1,000 devices and adds their bundles to the map.
func (r *Relay) query(ctx context.Context, devices []string, cache *BundleCache, bundles map[string]Bundle) error {
	select {
	case r.querying <- struct{}{}:
		defer func() { <-r.querying }()
	case <-ctx.Done():
		return ctx.Err()
	}
	var query bundleQuery
	// Another goroutine may change the cache before the answer: "unchanged" is about these copies.
	copies := make([]*cachedBundle, len(devices))
	for i, device := range devices {
		item := bundleQueryItem{Device: device}
		if copies[i] = cache.get(device); copies[i] != nil {
			item.Tag = copies[i].Tag
		}
		query.Devices = append(query.Devices, item)
	}
	body, err := marshal(query)
	if err != nil {
		return err
	}
	var answer struct {
		Bundles []bundleAnswer `json:"bundles"`
	}
	// Bytes that the relay calls current at a time were fetched at that time.
	fetchedAt := time.Now()
	post := call{http.MethodPost, "/v1/bundles/query", body, http.StatusOK, len(devices)}
	if err := r.call(ctx, post, &answer); err != nil {
		return err
	}
	if len(answer.Bundles) != len(devices) {
		return &AnswerError{http.StatusOK}
	}
	for i := range answer.Bundles {
		one, current := &answer.Bundles[i], copies[i]
		switch {
		case one.Device != devices[i]:
			return &AnswerError{http.StatusOK}
		case one.State == "missing":
			cache.Forget(one.Device)
			continue
		case one.State == "current" && one.isValid():
			// A copy of its own: a pointer into the answer would keep all of it in memory.
			fetched := one.cachedBundle
			current = &fetched
			cache.put(current)
		case one.State != "unchanged" || current == nil:
			return &AnswerError{http.StatusOK}
		}
		bundle, err := ParseBundle(current.Bundle, fetchedAt)
		if err != nil {
			return err
		}
		bundles[one.Device] = bundle
	}
	return nil
}
