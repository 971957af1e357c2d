package io.uniserve.aws.s3;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.time.SystemClock;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * Sends requests to a store, within its rate, and repeats those that may succeed later. Pauses between repetitions are random, below a bound
 * that doubles. The SDK itself repeats nothing. Thread-safe.
 */
final class S3Requests {
    private static final Logger LOG = LoggerFactory.getLogger(S3Requests.class);
    private static final int ATTEMPTS_MAX = 8;
    /** No repetition starts later than this. */
    private static final long TOTAL_NANOS_MAX = 60_000_000_000L;

    private static final long PAUSE_NANOS = 50_000_000L;
    private static final long PAUSE_NANOS_MAX = 5_000_000_000L;

    private final S3ErrorMapper errors;
    private final RequestRateLimiter limiter;
    private final Sleeper sleeper;
    private final Random random;

    /** Waits of the calling thread. */
    interface Sleeper {
        /** Waits, unless the thread is interrupted. */
        void sleep(long nanos);

        /** The wall's own waits. */
        Sleeper PARKING = nanos -> {
            long end = SystemClock.INSTANCE.nanos() + nanos;
            for (long left = nanos;
                    left > 0 && !Thread.currentThread().isInterrupted();
                    left = end - SystemClock.INSTANCE.nanos()) {
                LockSupport.parkNanos(left);
            }
        };
    }

    /** A request. */
    interface Call<T> {
        T run();
    }

    S3Requests(S3ErrorMapper errors, RequestRateLimiter limiter, Sleeper sleeper, Random random) {
        this.errors = errors;
        this.limiter = limiter;
        this.sleeper = sleeper;
        this.random = random;
    }

    /**
     * Sends a request.
     *
     * @param what the request in words, such as {@code store backup/x}
     * @param action right that it needs, such as {@code s3:PutObject}
     * @param returned statuses that the caller judges itself
     * @throws S3Exception an answer with one of these statuses
     * @throws UniserveException any other failure, after all repetitions
     */
    <T> T send(String what, String action, Call<T> call, int... returned) {
        return sendUnless(() -> false, what, action, call, returned).orElseThrow();
    }

    /**
     * Sends a request as {@link #send}. After a request without an answer it asks whether the effect is there already, and returns empty
     * if it is.
     */
    <T> Optional<T> sendUnless(BooleanSupplier isDone, String what, String action, Call<T> call, int... returned) {
        long start = SystemClock.INSTANCE.nanos();
        for (int attempt = 1; ; attempt++) {
            pause(limiter.reserve());
            try {
                return Optional.of(call.run());
            } catch (SdkException e) {
                if (e.getCause() instanceof UniserveException own) {
                    throw own; // what reads the answer has refused it
                }
                if (e instanceof S3Exception s3 && isReturned(s3, returned)) {
                    throw s3;
                }
                if (!(e instanceof S3Exception) && S3ErrorMapper.isRepeatable(e) && isDone.getAsBoolean()) {
                    return Optional.empty();
                }
                if (S3ErrorMapper.isSlowDown(e)) {
                    limiter.onRejected();
                }
                boolean late = SystemClock.INSTANCE.nanos() - start > TOTAL_NANOS_MAX;
                if (!S3ErrorMapper.isRepeatable(e) || attempt == ATTEMPTS_MAX || late) {
                    throw errors.map(what, action, e);
                }
                LOG.debug("cannot {} yet, attempt {}: {}", what, attempt, e.getMessage());
                long bound = Math.min(PAUSE_NANOS_MAX, PAUSE_NANOS << attempt - 1);
                pause((long) (bound * random.nextDouble()));
            }
        }
    }

    private static boolean isReturned(S3Exception e, int[] statuses) {
        // A missing bucket has the status of a missing object, and is none of the caller's cases.
        return Arrays.stream(statuses).anyMatch(status -> status == e.statusCode())
                && !S3ErrorMapper.code(e).equals("NoSuchBucket");
    }

    private void pause(long nanos) {
        if (nanos > 0) {
            sleeper.sleep(nanos);
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new UniserveException(ErrorCode.CANCELLED, "interrupted while waiting for durable storage");
        }
    }
}
