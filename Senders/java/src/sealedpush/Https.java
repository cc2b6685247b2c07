package sealedpush;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** The JDK's HTTP client with bounded answers and retries. Redirects are not followed. */
final class Https {
    private static final int ANSWER_BYTE_COUNT_MAX = 1 << 20;
    /** Twice what a relay writes of a device: a bundle has up to 3,784 characters. */
    private static final int DEVICE_BYTE_COUNT_MAX = 8 << 10;
    private static final int AUTHORITIES_BYTE_COUNT_MAX = 1 << 20;

    private final HttpClient client;
    private final Duration patience;
    private final Retry retry;
    private final Retry.Sleeper sleeper;

    /**
     * Keeps its connections.
     *
     * @param trust null for the JDK's authorities
     * @param patience for one attempt, from the connection to the end of the answer
     */
    Https(SSLContext trust, Duration patience, Retry retry, Retry.Sleeper sleeper) {
        var builder = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(15));
        client = (trust == null ? builder : builder.sslContext(trust)).build();
        this.patience = patience;
        this.retry = retry;
        this.sleeper = sleeper;
    }

    /** Trusts the authorities of a PEM file only. */
    static SSLContext trusting(Path authorities) throws FileException {
        try {
            if (Files.size(authorities) > AUTHORITIES_BYTE_COUNT_MAX) {
                throw new FileException(FileException.Reason.TOO_LONG, authorities);
            }
            var store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            try (var file = Files.newInputStream(authorities)) {
                for (var certificate : CertificateFactory.getInstance("X.509").generateCertificates(file)) {
                    store.setCertificateEntry("authority" + store.size(), certificate);
                }
            }
            if (store.size() == 0) throw new FileException(FileException.Reason.MALFORMED, authorities);
            var managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(store);
            var context = SSLContext.getInstance("TLS");
            context.init(null, managers.getTrustManagers(), null);
            return context;
        } catch (IOException failure) {
            throw new FileException(authorities, failure);
        } catch (GeneralSecurityException notCertificates) {
            throw new FileException(FileException.Reason.MALFORMED, authorities);
        }
    }

    /**
     * Sends a request, again where {@link Retry} says so, and returns the last answer.
     *
     * @param deviceCount devices that the answer is about, which bounds its length
     */
    HttpResponse<byte[]> send(HttpRequest request, int deviceCount) throws RelayException, InterruptedException {
        var byteCountMax = ANSWER_BYTE_COUNT_MAX + deviceCount * DEVICE_BYTE_COUNT_MAX;
        for (int attemptCount = 1; ; attemptCount++) {
            HttpResponse<byte[]> answer = null;
            RelayException failure = null;
            try {
                answer = attempt(request, byteCountMax);
                if (!Retry.isTransient(answer.statusCode())) return answer;
            } catch (RelayException unreached) {
                if (unreached.reason() != RelayException.Reason.UNREACHABLE) throw unreached;
                failure = unreached;
            }
            var delay = retry.delay(attemptCount, answer == null ? -1 : retryAfter(answer),
                    ThreadLocalRandom.current().nextDouble());
            if (delay.isPresent()) sleeper.sleep(delay.get());
            else if (failure != null) throw failure;
            else return answer;
        }
    }

    private HttpResponse<byte[]> attempt(HttpRequest request, int byteCountMax)
            throws RelayException, InterruptedException {
        var exchange = client.sendAsync(request, head -> new BoundedBody(byteCountMax));
        try {
            return exchange.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException stalled) {
            throw new RelayException(RelayException.Reason.UNREACHABLE);
        } catch (ExecutionException failure) {
            for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
                if (cause instanceof TooLong) throw new RelayException(RelayException.Reason.MALFORMED_ANSWER);
                if (cause instanceof CertificateException || cause instanceof CertPathValidatorException) {
                    throw new RelayException(RelayException.Reason.NOT_TRUSTED);
                }
            }
            // The cause is left out: it may name what was sent.
            throw new RelayException(RelayException.Reason.UNREACHABLE);
        } finally {
            // Ends the exchange if the time is over or the thread was interrupted; nothing otherwise.
            exchange.cancel(true);
        }
    }

    private static long retryAfter(HttpResponse<byte[]> answer) {
        var text = answer.headers().firstValue("retry-after").orElse("");
        return text.matches("[0-9]{1,9}") ? Long.parseLong(text) : -1;
    }

    private static final class TooLong extends IOException {
        private static final long serialVersionUID = 1;
    }

    /** Collects an answer up to a bound. */
    private static final class BoundedBody implements HttpResponse.BodySubscriber<byte[]> {
        private final CompletableFuture<byte[]> body = new CompletableFuture<>();
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final int byteCountMax;
        private Flow.Subscription subscription;

        BoundedBody(int byteCountMax) {
            this.byteCountMax = byteCountMax;
        }

        @Override
        public CompletionStage<byte[]> getBody() {
            return body;
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            this.subscription = subscription;
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(List<ByteBuffer> buffers) {
            for (var buffer : buffers) {
                if (bytes.size() + buffer.remaining() > byteCountMax) {
                    subscription.cancel();
                    body.completeExceptionally(new TooLong());
                    return;
                }
                var part = new byte[buffer.remaining()];
                buffer.get(part);
                bytes.writeBytes(part);
            }
        }

        @Override
        public void onError(Throwable failure) {
            body.completeExceptionally(failure);
        }

        @Override
        public void onComplete() {
            body.complete(bytes.toByteArray());
        }
    }
}
