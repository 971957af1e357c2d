package io.uniserve.runtime.security;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.access.CertificateStatus;
import io.uniserve.protocol.env.Clock;
import io.uniserve.runtime.security.TlsMaterial.Identity;
import io.uniserve.runtime.tls.TlsFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.Stream;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Certificate, key and authorities of a process, which may change in their files while it runs. They change together, in one step: a
 * handshake never has the certificate of one state and the key of another. If new files do not fit together, or have another identity, the
 * old ones stay in use, and the failure is logged and counted. Connections that are opened afterwards use the new ones. Thread-safe.
 *
 * <pre>{@code
 * try (ReloadingTls tls = ReloadingTls.open(settings.tls(), SystemClock.INSTANCE)) {
 *     GrpcServer.builder(cluster).tls(tls);
 * }
 * }</pre>
 */
public final class ReloadingTls implements AutoCloseable {
    /** Time between two looks at the files. */
    private static final long CHECK_MILLIS = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(ReloadingTls.class);

    private final TlsFiles files;
    private final Clock clock;
    private final AtomicLong reloads = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final @Nullable ScheduledExecutorService watcher;
    private volatile Predicate<CertificateSubject> revoked = subject -> false;
    private volatile Version current;
    private volatile @Nullable Version previous;
    /** Guarded by this: state of the files at the last reading. */
    private List<FileStamp> seen;
    /** Used on the watcher's thread only. */
    private final CertificateExpiryWarning expiry = new CertificateExpiryWarning();

    /** One state of the files. A handshake that has chosen a version's alias gets chain and key of that version. */
    record Version(long number, TlsMaterial material) {
        String alias() {
            return Long.toString(number);
        }
    }

    /** State of a file as far as a look at its attributes shows it. */
    private record FileStamp(Path file, String attributes) {
        static FileStamp of(Path file) {
            try {
                BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
                return new FileStamp(file, found.lastModifiedTime() + " " + found.size() + " " + found.fileKey());
            } catch (IOException e) {
                return new FileStamp(file, "unreadable");
            }
        }
    }

    private ReloadingTls(TlsFiles files, Clock clock, boolean watch) {
        this.files = files;
        this.clock = clock;
        seen = stamps();
        current = new Version(1, readFirst(files));
        watcher = watch
                ? Executors.newSingleThreadScheduledExecutor(task -> {
                    Thread thread = new Thread(task, "uniserve-tls-files");
                    thread.setDaemon(true);
                    return thread;
                })
                : null;
        if (watcher != null) {
            ScheduledFuture<?> unused = watcher.scheduleWithFixedDelay(
                    this::reloadIfChanged, CHECK_MILLIS, CHECK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** Reads the files. If another process replaces them meanwhile, certificate and key may not fit: then reads them once more. */
    private static TlsMaterial readFirst(TlsFiles files) {
        if (!files.enabled()) {
            return TlsMaterial.read(files);
        }
        LeafFiles.finishReplacement(files);
        try {
            return TlsMaterial.read(files);
        } catch (UniserveException e) {
            LOG.debug("the TLS files do not fit together at the first reading", e);
            LeafFiles.finishReplacement(files);
            return TlsMaterial.read(files);
        }
    }

    /**
     * Reads the files, and follows their changes until it is closed.
     *
     * @throws UniserveException INVALID_CONFIGURATION if they cannot be read or do not fit together
     */
    public static ReloadingTls open(TlsFiles files, Clock clock) {
        return new ReloadingTls(files, clock, files.enabled());
    }

    /** Reads the files once. Errors as of {@link #open}. */
    public static ReloadingTls read(TlsFiles files, Clock clock) {
        return new ReloadingTls(files, clock, false);
    }

    /**
     * Checks that others can accept the certificate: it is valid now, and if it has an identity, an authority of the trust file covers it.
     *
     * @throws UniserveException INVALID_CONFIGURATION with the file and the reason
     */
    public void checkUsable() {
        current.material().checkUsable(clock.wallMillis());
    }

    /** The files. */
    public TlsFiles files() {
        return files;
    }

    /** Sets which certificates of others are revoked. */
    public void setRevoked(Predicate<CertificateSubject> value) {
        revoked = value;
    }

    /** True if this certificate of another process or user is revoked. */
    public boolean isRevoked(X509Certificate certificate) {
        return revoked.test(CertificateSubject.of(certificate));
    }

    /** Adds a listener for new material; it is called on the thread that has read it. */
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }

    private void reloadIfChanged() {
        try {
            boolean changed;
            synchronized (this) {
                changed = !stamps().equals(seen);
            }
            if (changed) {
                reload();
            }
            leaf().flatMap(leaf -> expiry.due(leaf, files, clock.wallMillis())).ifPresent(LOG::warn);
        } catch (RuntimeException e) {
            failures.incrementAndGet();
            LOG.error("TLS files cannot be read again", e);
        }
    }

    /** Reads the files again. Returns true if they have changed and are in use now. */
    public boolean reload() {
        synchronized (this) {
            seen = stamps(); // before the reading: a later change is seen at the next look
            try {
                LeafFiles.finishReplacement(files);
                TlsMaterial next = TlsMaterial.read(files);
                if (current.material().isSame(next)) {
                    return false;
                }
                use(checked(next));
            } catch (UniserveException e) {
                failures.incrementAndGet();
                LOG.error("TLS files have changed and cannot be used, the old ones stay in use: {}", e.reason());
                return false;
            }
        }
        announce();
        return true;
    }

    /** One sentence if the certificate in use has ended, so that no other process accepts this one; empty without one that has. */
    public List<String> missingConditions() {
        return leaf()
                .filter(leaf -> leaf.getNotAfter().getTime() <= clock.wallMillis())
                .map(leaf -> "its certificate ended at " + leaf.getNotAfter().toInstant()
                        + ": issue another by uniserve security issue")
                .stream()
                .toList();
    }

    /**
     * Replaces certificate and key, in use and in their files. If others could not accept them, nothing changes.
     *
     * @param chain certificates in PEM, the leaf first
     * @throws UniserveException INVALID_ARGUMENT or INVALID_CONFIGURATION if they cannot be used; IO if they cannot be written
     */
    void replaceLeaf(String chain, PrivateKey key) {
        synchronized (this) {
            TlsMaterial next = checked(current.material().with(chain, key));
            LeafFiles.replace(files, chain, key);
            seen = stamps();
            use(next);
        }
        announce();
    }

    private TlsMaterial checked(TlsMaterial next) {
        next.checkUsable(clock.wallMillis());
        checkIdentity(current.material(), next);
        return next;
    }

    private void use(TlsMaterial next) {
        Version now = current;
        previous = now;
        current = new Version(now.number() + 1, next);
    }

    private void announce() {
        reloads.incrementAndGet();
        LOG.info(
                "TLS files have changed and are in use, days left: {}",
                daysLeft().orElse(-1L));
        for (Runnable listener : listeners) {
            try {
                listener.run();
            } catch (RuntimeException e) {
                LOG.error("a listener for new TLS files failed", e);
            }
        }
    }

    private List<FileStamp> stamps() {
        return Stream.of(files.certificate(), files.key(), files.trust())
                .flatMap(Optional::stream)
                .map(FileStamp::of)
                .toList();
    }

    private static void checkIdentity(TlsMaterial now, TlsMaterial next) {
        Optional<CertifiedIdentity> old = now.identity().map(Identity::leaf).flatMap(CertifiedIdentity::of);
        Optional<CertifiedIdentity> found = next.identity().map(Identity::leaf).flatMap(CertifiedIdentity::of);
        if (!old.equals(found)) {
            throw UniserveException.invalid("tls.certificate-file has "
                    + found.map(CertifiedIdentity::toString).orElse("no identity") + " instead of "
                    + old.map(CertifiedIdentity::toString).orElse("none") + ": restart the process to change it");
        }
    }

    /** Certificate of the process; empty for a client without one. */
    public Optional<X509Certificate> leaf() {
        return current.material().identity().map(Identity::leaf);
    }

    /** Certificates of the authorities that the process trusts. */
    public List<X509Certificate> authorities() {
        return List.of(current.material().authorities().getAcceptedIssuers());
    }

    /** Days until the certificate ends, negative afterwards; empty without one. */
    public Optional<Long> daysLeft() {
        return leaf().map(leaf ->
                Math.floorDiv(leaf.getNotAfter().getTime() - clock.wallMillis(), TimeUnit.DAYS.toMillis(1)));
    }

    /** State of the certificate and the authorities. */
    public CertificateStatus status() {
        TlsMaterial now = current.material();
        Optional<X509Certificate> leaf = now.identity().map(Identity::leaf);
        List<X509Certificate> trusted = files.enabled() ? authorities() : List.of();
        return new CertificateStatus(
                leaf.flatMap(CertifiedIdentity::of).map(CertifiedIdentity::uri).orElse(""),
                leaf.map(one -> one.getNotAfter().getTime()).orElse(0L),
                leaf.flatMap(one -> trusted.stream()
                                .filter(issuer -> hasSigned(issuer, one))
                                .findFirst())
                        .map(CertificateSubject::fingerprint)
                        .orElse(""),
                trusted.stream()
                        .limit(Limits.AUTHORITIES_MAX)
                        .map(one -> new CertificateStatus.Authority(
                                CertificateSubject.fingerprint(one),
                                one.getNotBefore().getTime()))
                        .toList(),
                reloads(),
                failures());
    }

    private static boolean hasSigned(X509Certificate issuer, X509Certificate leaf) {
        try {
            leaf.verify(issuer.getPublicKey());
            return true;
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    /** Number of changes that are in use, since the start. */
    public long reloads() {
        return reloads.get();
    }

    /** Number of changes that could not be used, since the start. */
    public long failures() {
        return failures.get();
    }

    /** True if the chain of a caller is valid now and an authority covers it. */
    public boolean accepts(List<X509Certificate> chain) {
        try {
            current.material()
                    .authorities()
                    .checkClientTrusted(
                            chain.toArray(X509Certificate[]::new),
                            chain.get(0).getPublicKey().getAlgorithm());
            return true;
        } catch (CertificateException e) {
            return false;
        }
    }

    /** Key manager that gives the newest certificate and key to each handshake. */
    public X509ExtendedKeyManager keyManager() {
        return new ReloadingKeyManager(() -> current, () -> previous);
    }

    /** Trust manager that validates with the newest authorities. */
    public X509ExtendedTrustManager trustManager() {
        return new ReloadingTrustManager(() -> current.material().authorities());
    }

    /** Stops to follow the files. */
    @Override
    public void close() {
        if (watcher != null) {
            watcher.shutdownNow();
        }
    }
}
