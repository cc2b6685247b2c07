package sealedpush;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLContext;

/**
 * Client of the relay, {@code sealedpushd}, for a back end (docs/service.md). Safe for threads; one for a process.
 *
 * <p>A request is sent again after 429, 500, 502, 503, 504 and a lost connection, six times in all, with growing random
 * delays and the server's {@code Retry-After}; one of over a minute ends it. The idempotency key stays the same, so
 * nothing is sent twice.
 */
public final class RelayClient {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private final String base;
    private final String key;
    private final Https https;
    /** Held during a query for bundles: the relay answers one of a tenant at a time, and another with 429. */
    final ReentrantLock query = new ReentrantLock(true);

    /**
     * Notification that is on the relay's disk.
     *
     * @param device its id at the relay
     * @param id the notification's, which is its {@code apns-id}
     * @param trace the push's
     */
    public record Accepted(String device, String id, String trace) {}

    /**
     * Connects to a relay under the JDK's certificate authorities.
     *
     * @param url {@code https://host[:port]}, or {@code http} on this machine
     * @param apiKey {@code spk_} and 43 characters, with the scopes {@code read} and {@code send}
     */
    public RelayClient(String url, String apiKey) {
        this(url, apiKey, null, Retry.STANDARD, RelayClient::sleep);
    }

    /** Connects to a relay under the authorities of a PEM file only. */
    public RelayClient(String url, String apiKey, Path authorities) throws FileException {
        this(url, apiKey, Https.trusting(authorities), Retry.STANDARD, RelayClient::sleep);
    }

    RelayClient(String url, String apiKey, SSLContext trust, Retry retry, Retry.Sleeper sleeper) {
        // The key would go over the network in clear.
        if (!url.matches("https://[^/?#@]+/?|http://(127\\.0\\.0\\.1|localhost|\\[::1\\])(:[0-9]+)?/?")) {
            throw new IllegalArgumentException("not https://host[:port]");
        }
        if (!apiKey.matches("spk_[A-Za-z0-9_-]{43}")) throw new IllegalArgumentException("not an API key");
        base = url.replaceFirst("/$", "");
        key = apiKey;
        https = new Https(trust, PATIENCE, retry, sleeper);
    }

    static void sleep(Duration delay) throws InterruptedException {
        Thread.sleep(delay.toMillis());
    }

    /** True for an identifier of the relay, which goes into paths as it is. */
    static boolean isId(String text) {
        return text.matches("[A-Za-z0-9_-]{1,64}");
    }

    /** Fetches a device's key bundle, for {@link Recipient#verify}: the relay vouches for none. */
    public byte[] bundle(String device) throws RelayException, InterruptedException {
        if (!isId(device)) throw new IllegalArgumentException("not a device's id");
        var answer = https.send(request("/v1/devices/" + device + "/bundle").GET().build(), 1);
        if (answer.statusCode() != 200) throw refusal(answer);
        try {
            var members = Json.as(Map.class, Json.parse(answer.body()));
            var bundle = Base64Url.decode(Json.as(String.class, members.get("bundle")));
            if (bundle != null) return bundle;
            throw new RelayException(RelayException.Reason.MALFORMED_ANSWER);
        } catch (Json.Refused refused) {
            throw new RelayException(RelayException.Reason.MALFORMED_ANSWER);
        }
    }

    /** Fetches the bundles of many devices, without a cache. */
    public Map<String, byte[]> bundles(Collection<String> devices) throws RelayException, InterruptedException {
        return bundles(devices, new BundleCache(0));
    }

    /**
     * Fetches the bundles of many devices, for {@link Recipient#verify}: one request for each 1,000 devices, answered with
     * the bundles that the cache does not have. The relay answers one such request of a tenant at a time: threads take
     * turns here, and another process waits by the usual retries.
     *
     * @return bundles by device, in its order; without the devices that the relay does not know
     */
    public Map<String, byte[]> bundles(Collection<String> devices, BundleCache cache)
            throws RelayException, InterruptedException {
        var distinct = devices.stream().distinct().toList();
        if (!distinct.stream().allMatch(RelayClient::isId)) throw new IllegalArgumentException("not a device's id");
        var bundles = new LinkedHashMap<String, byte[]>();
        for (int start = 0; start < distinct.size(); start += BundleQuery.DEVICE_COUNT_MAX) {
            var end = Math.min(distinct.size(), start + BundleQuery.DEVICE_COUNT_MAX);
            bundles.putAll(query(distinct.subList(start, end), cache));
        }
        return bundles;
    }

    private Map<String, byte[]> query(List<String> devices, BundleCache cache) throws RelayException, InterruptedException {
        query.lockInterruptibly();
        try {
            var question = new BundleQuery(devices, cache);
            var answer = post("/v1/bundles/query", question.json(), devices.size());
            if (answer.statusCode() != 200) throw refusal(answer);
            return question.read(answer.body());
        } catch (Json.Refused refused) {
            throw new RelayException(RelayException.Reason.MALFORMED_ANSWER);
        } finally {
            query.unlock();
        }
    }

    /**
     * Submits notifications: all recipients' or none. After {@code UNREACHABLE} it is uncertain which; submit the same
     * object again.
     *
     * @return one for each recipient, in their order
     */
    public List<Accepted> submit(Submission submission) throws RelayException, InterruptedException {
        return submit(submission, false).accepted();
    }

    /**
     * Submits notifications to those recipients that can be sent to, where {@link #submit} refuses all for one. For groups:
     * a device may be gone, of another app, or beyond the day's quota.
     *
     * @throws RelayException {@code REFUSED} with the first recipient's problem if there is none to send to
     */
    public PartialAnswer submitPartial(Submission submission) throws RelayException, InterruptedException {
        return submit(submission, true);
    }

    private PartialAnswer submit(Submission submission, boolean isPartial) throws RelayException, InterruptedException {
        var devices = submission.devices();
        if (devices.isEmpty()) throw new IllegalArgumentException("no recipient");
        var answer = post("/v1/notifications", submission.json(isPartial), devices.size());
        if (answer.statusCode() != 202) throw refusal(answer);
        try {
            var members = Json.as(Map.class, Json.parse(answer.body()));
            var accepted = new ArrayList<Accepted>();
            for (var element : Json.as(List.class, members.get("notifications"))) {
                var one = Json.as(Map.class, element);
                accepted.add(new Accepted(Json.as(String.class, one.get("device")), Json.as(String.class, one.get("id")),
                        Json.as(String.class, one.get("trace"))));
            }
            var rejected = new ArrayList<PartialAnswer.Rejected>();
            if (isPartial) {
                for (var element : Json.as(List.class, members.get("rejected"))) {
                    rejected.add(rejected(Json.as(Map.class, element), devices));
                }
            }
            var partial = new PartialAnswer(List.copyOf(accepted), List.copyOf(rejected));
            if (partial.isOf(devices)) return partial;
            throw new RelayException(RelayException.Reason.MALFORMED_ANSWER);
        } catch (Json.Refused refused) {
            throw new RelayException(RelayException.Reason.MALFORMED_ANSWER);
        }
    }

    private PartialAnswer.Rejected rejected(Map<?, ?> members, List<String> devices) throws Json.Refused {
        long index = Json.as(Long.class, members.get("index"));
        if (index < 0 || index >= devices.size()) throw new Json.Refused();
        // The relay omits a device that it could not read.
        var device = members.containsKey("device") ? Json.as(String.class, members.get("device"))
                : devices.get((int) index);
        return new PartialAnswer.Rejected((int) index, device, problem(Json.as(Map.class, members.get("problem"))));
    }

    private HttpResponse<byte[]> post(String path, String json, int deviceCount)
            throws RelayException, InterruptedException {
        return https.send(request(path).header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json)).build(), deviceCount);
    }

    private HttpRequest.Builder request(String path) {
        // In clear there is no ALPN, and an upgrade to HTTP/2 would be asked for.
        var version = base.startsWith("https:") ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1;
        return HttpRequest.newBuilder(URI.create(base + path)).version(version).header("authorization", "Bearer " + key);
    }

    private RelayException refusal(HttpResponse<byte[]> answer) {
        var problem = RelayException.Problem.NONE;
        try {
            problem = problem(Json.as(Map.class, Json.parse(answer.body())));
        } catch (Json.Refused notAProblem) {
            // Something between here and the relay may answer otherwise: the status says what there is to say.
        }
        return new RelayException(answer.statusCode(), problem);
    }

    private RelayException.Problem problem(Map<?, ?> members) {
        var pointers = new ArrayList<String>();
        if (members.get("errors") instanceof List<?> errors) {
            for (var error : errors) {
                if (error instanceof Map<?, ?> one && pointers.size() < 32) pointers.add(text(one, "pointer"));
            }
        }
        return new RelayException.Problem(text(members, "type"), text(members, "title"), text(members, "detail"),
                List.copyOf(pointers));
    }

    /** Text of an answer for an error: short, on one line, and never with our key, which a proxy might show. */
    private String text(Map<?, ?> members, String name) {
        if (!(members.get(name) instanceof String text) || text.contains(key)) return "";
        var line = text.replaceAll("\\p{Cntrl}", " ");
        return line.substring(0, line.offsetByCodePoints(0, Math.min(300, line.codePointCount(0, line.length()))));
    }
}
