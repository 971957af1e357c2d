package io.uniserve.runtime.security;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Clock;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
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

    private final ReloadingTls tls;
    private final Clock clock;
    private final Duration before;
    private final LeafSource source;
    private final ScheduledExecutorService thread;
    private final AtomicLong failures = new AtomicLong();
    /** Used on the thread only. */
    private long pauseNanos = PAUSE_NANOS_MIN;

    private long nextNanos;

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
        long left = current.get().getNotAfter().getTime() - clock.wallMillis();
        if (!isDue(current.get(), before, clock.wallMillis())) {
            return;
        }
        try {
            renewAlone();
            pauseNanos = PAUSE_NANOS_MIN;
            nextNanos = clock.nanos() + pauseNanos;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        } catch (UniserveException e) {
            failures.incrementAndGet();
            nextNanos = clock.nanos() + pauseNanos;
            pauseNanos = Math.min(PAUSE_NANOS_MAX, 2 * pauseNanos);
            LOG.warn(
                    "the certificate ends in {} and cannot be renewed now: {}",
                    Duration.ofMillis(left).truncatedTo(ChronoUnit.SECONDS),
                    e.getMessage());
        } catch (RuntimeException e) {
            failures.incrementAndGet();
            nextNanos = clock.nanos() + PAUSE_NANOS_MAX;
            LOG.error("the certificate cannot be renewed", e);
        }
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

    /** Renews while no other process with the same files does. */
    private void renewAlone() throws InterruptedException {
        Path key = tls.files().key().orElseThrow();
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
        } catch (OverlappingFileLockException e) {
            LOG.debug("another server of this JVM renews {}", key, e);
        } catch (IOException e) {
            throw new UniserveException(
                    ErrorCode.IO,
                    "file " + lockFile + " cannot be used: " + e.getMessage()
                            + "; give this process the right to write in its folder",
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

    /** Stops the renewal. A replacement of files that is under way is finished at the next start. */
    @Override
    public void close() {
        thread.shutdownNow();
    }
}
