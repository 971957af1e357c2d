package io.uniserve.runtime.security;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Clock;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renewal of a process's certificate before it ends: makes a new key, gets a certificate for it, and replaces both files in one step. After
 * a failure it tries again, with a growing pause. It has a thread of its own. Thread-safe.
 */
public final class CertificateRenewer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CertificateRenewer.class);
    private static final String CURVE = "secp256r1";
    private static final long CHECK_MILLIS = 1_000;
    private static final long PAUSE_NANOS_MIN = TimeUnit.SECONDS.toNanos(1);
    private static final long PAUSE_NANOS_MAX = TimeUnit.MINUTES.toNanos(10);
    private static final long WARN_NANOS = TimeUnit.HOURS.toNanos(1);
    /** Keys that a renewer of this JVM is replacing. A lock of a file does not keep two of its threads apart. */
    private static final Set<Path> REPLACING = ConcurrentHashMap.newKeySet();

    private final ReloadingTls tls;
    private final Clock clock;
    private final Duration before;
    private final LeafSource source;
    private final ScheduledExecutorService thread;
    private final AtomicLong failures = new AtomicLong();
    /** Used on the thread only. */
    private long pauseNanos = PAUSE_NANOS_MIN;

    private long nextNanos;
    private String warned = "";
    private long warnedNanos;

    /** Source of certificates. */
    @FunctionalInterface
    public interface LeafSource {
        /**
         * Returns a certificate for the key and this process's identity. May block.
         *
         * @return certificates in PEM, the leaf first
         * @throws UniserveException if there is none now
         */
        String request(X509Certificate current, PublicKey key) throws InterruptedException;
    }

    private CertificateRenewer(ReloadingTls tls, Clock clock, Duration before, LeafSource source) {
        this.tls = tls;
        this.clock = clock;
        this.before = before;
        this.source = source;
        this.nextNanos = clock.nanos();
        this.thread = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread made = new Thread(task, "uniserve-certificate");
            made.setDaemon(true);
            return made;
        });
    }

    /**
     * Starts the renewal; it does nothing for a certificate without an identity.
     *
     * @param before time before the end of the certificate at which it is renewed; at most a third of its validity counts
     */
    public static CertificateRenewer start(ReloadingTls tls, Clock clock, Duration before, LeafSource source) {
        CertificateRenewer renewer = new CertificateRenewer(tls, clock, before, source);
        ScheduledFuture<?> unused = renewer.thread.scheduleWithFixedDelay(
                renewer::renewIfDue, CHECK_MILLIS, CHECK_MILLIS, TimeUnit.MILLISECONDS);
        return renewer;
    }

    /** Number of failed renewals since the start. */
    public long failures() {
        return failures.get();
    }

    private void renewIfDue() {
        Optional<X509Certificate> current =
                tls.leaf().filter(leaf -> CertifiedIdentity.of(leaf).isPresent());
        if (current.isEmpty() || clock.nanos() - nextNanos < 0) {
            return;
        }
        try {
            if (!isDue(current.get(), before, clock.wallMillis())) {
                return;
            }
            renewAlone();
            pauseNanos = PAUSE_NANOS_MIN;
            nextNanos = clock.nanos() + pauseNanos;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (UniserveException e) {
            failures.incrementAndGet();
            nextNanos = clock.nanos() + pauseNanos;
            pauseNanos = Math.min(pauseMax(current.get()), 2 * pauseNanos);
            warn(current.get(), e);
        } catch (RuntimeException e) {
            failures.incrementAndGet();
            nextNanos = clock.nanos() + PAUSE_NANOS_MAX;
            LOG.error("the certificate cannot be renewed", e);
        }
    }

    /** Warns of the failure, and of the same reason once per hour; a renewer that is closed warns no more. */
    private void warn(X509Certificate current, UniserveException failure) {
        String reason = String.valueOf(failure.getMessage());
        boolean again = reason.equals(warned) && clock.nanos() - warnedNanos < WARN_NANOS;
        if (again || thread.isShutdown()) {
            LOG.debug("the certificate cannot be renewed now", failure);
            return;
        }
        warned = reason;
        warnedNanos = clock.nanos();
        Duration left = Duration.ofMillis(current.getNotAfter().getTime() - clock.wallMillis())
                .truncatedTo(ChronoUnit.SECONDS);
        if (left.isNegative()) {
            LOG.warn(
                    "the certificate has ended: issue another by uniserve security issue. It was not renewed: {}",
                    reason);
        } else {
            LOG.warn("the certificate ends in {} and cannot be renewed now: {}", left, reason);
        }
    }

    /** Pause of at most a tenth of the time that is left, so that several attempts fit in. */
    private long pauseMax(X509Certificate current) {
        long leftMillis = current.getNotAfter().getTime() - clock.wallMillis();
        if (leftMillis <= 0) {
            return PAUSE_NANOS_MAX;
        }
        return Math.max(PAUSE_NANOS_MIN, Math.min(PAUSE_NANOS_MAX, TimeUnit.MILLISECONDS.toNanos(leftMillis / 10)));
    }

    /**
     * True if the certificate is to be renewed: less than this time is left, and less than a third of its validity, so that a new one is never
     * due at once.
     */
    public static boolean isDue(X509Certificate certificate, Duration before, long wallMillis) {
        long end = certificate.getNotAfter().getTime();
        long third = (end - certificate.getNotBefore().getTime()) / 3;
        return end - wallMillis < Math.min(before.toMillis(), third);
    }

    /** Renews while no other renewer with the same files does. */
    private void renewAlone() throws InterruptedException {
        Path key = LeafFiles.real(tls.files().key().orElseThrow());
        if (!REPLACING.add(key)) {
            return;
        }
        try {
            renewLocked(key);
        } finally {
            REPLACING.remove(key);
        }
    }

    private void renewLocked(Path key) throws InterruptedException {
        Path lockFile = key.resolveSibling(key.getFileName() + ".lock");
        try (FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock()) {
            if (lock == null) {
                return; // another process renews them now
            }
            boolean unused = tls.reload(); // it may have done so before
            X509Certificate current = tls.leaf().orElseThrow();
            if (isDue(current, before, clock.wallMillis())) {
                KeyPair pair = generate();
                tls.replaceLeaf(source.request(current, pair.getPublic()), pair.getPrivate());
            }
        } catch (IOException e) {
            throw new UniserveException(
                    ErrorCode.IO,
                    "file " + lockFile + " cannot be used: " + e.getMessage()
                            + "; give this process the right to write it, and in its folder",
                    e);
        }
    }

    private static KeyPair generate() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec(CURVE));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK has no curve " + CURVE, e);
        }
    }

    /**
     * Stops the renewal, without waiting for one that is under way: it ends when its source fails, or replaces the files. What the end of the
     * JVM interrupts is finished at the next start.
     */
    @Override
    public void close() {
        thread.shutdown();
    }
}
