package io.uniserve.runtime.transport.certificate;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.access.CertificateStatus;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.runtime.security.CertificateRenewer;
import io.uniserve.runtime.security.CertificateSubject;
import io.uniserve.runtime.security.CertifiedIdentity;
import io.uniserve.runtime.security.ReloadingTls;
import io.uniserve.runtime.time.SystemClock;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/** Answers about the certificate of this process; with an authority it renews those of others. Thread-safe. */
public final class ProcessCertificates implements CertificateHandler {
    private static final int SIGNINGS_MAX = 256;
    private static final long SIGNING_IDLE_SECONDS = 10;

    private final ReloadingTls tls;
    private final Optional<CertificateSigner> authority;
    private final Duration before;
    private final Predicate<String> users;
    private final BooleanSupplier leads;
    private final RenewalRateLimiter renewals = new RenewalRateLimiter(SystemClock.INSTANCE);
    /** Signs on a thread of its own, because the authority's files may be slow. The thread ends when it is idle. */
    private final Executor signing = signingThread();

    /** Creates the answers of a process without an authority. */
    public ProcessCertificates(ReloadingTls tls) {
        this(tls, Optional.empty(), Duration.ZERO, user -> false, () -> false);
    }

    /**
     * Creates the answers of a coordinator.
     *
     * @param before time before the end of a certificate from which on it is renewed
     * @param users true for the name of a user whose certificates are renewed
     * @param leads true while this coordinator leads; others may have old revocations
     */
    public ProcessCertificates(
            ReloadingTls tls,
            Optional<CertificateSigner> authority,
            Duration before,
            Predicate<String> users,
            BooleanSupplier leads) {
        this.tls = tls;
        this.authority = authority;
        this.before = before;
        this.users = users;
        this.leads = leads;
    }

    @Override
    public CertificateStatus describe() {
        return tls.status();
    }

    @Override
    public X509Certificate checkRenewable(Optional<X509Certificate> current) {
        X509Certificate certificate = current.orElseThrow(() -> UniserveException.invalid(
                "the caller has no certificate to renew: set tls.certificate-file and tls.key-file"));
        signer();
        if (!leads.getAsBoolean()) {
            throw new UniserveException(ErrorCode.UNAVAILABLE, "this coordinator does not lead: ask the leader");
        }
        checkIdentity(certificate);
        checkNotEnded(certificate);
        if (!CertificateRenewer.isDue(certificate, before, SystemClock.INSTANCE.wallMillis())) {
            throw UniserveException.invalid("the certificate is not due: it ends at "
                    + certificate.getNotAfter().toInstant() + ", and security.renewal.before of the coordinator is "
                    + before
                    + ", of which at most a third of the certificate's validity counts: set no longer one here");
        }
        return certificate;
    }

    /** An open connection outlives its certificate by some seconds. */
    private static void checkNotEnded(X509Certificate certificate) {
        if (certificate.getNotAfter().getTime() <= SystemClock.INSTANCE.wallMillis()) {
            throw new UniserveException(
                    ErrorCode.UNAUTHORIZED, "the certificate has ended: use another one of uniserve security issue");
        }
    }

    private CertificateSigner signer() {
        return authority.orElseThrow(() -> new UniserveException(
                ErrorCode.UNSUPPORTED,
                "this process has no authority: set security.renewal.authority on the coordinators, or replace the"
                        + " files of the certificate by those of uniserve security issue"));
    }

    private void checkIdentity(X509Certificate certificate) {
        CertifiedIdentity identity = CertifiedIdentity.of(certificate)
                .orElseThrow(() -> new UniserveException(
                        ErrorCode.UNAUTHORIZED, "the certificate has no identity: use one of uniserve security issue"));
        switch (identity.kind()) {
            case SERVER -> {}
            case USER -> {
                if (!users.test(identity.name())) {
                    throw new UniserveException(
                            ErrorCode.UNAUTHORIZED,
                            "certificates of user " + identity.name() + " are not renewed here: add the name to"
                                    + " security.renewal.users of the coordinators, or use uniserve security issue");
                }
            }
            case ZOOKEEPER ->
                throw new UniserveException(
                        ErrorCode.UNAUTHORIZED,
                        "certificates of ZooKeeper are not renewed: use uniserve security issue zookeeper");
        }
    }

    @Override
    public void renew(X509Certificate current, PublicKey key, Completion<String> completion) {
        X509Certificate renewable = checkRenewable(Optional.of(current));
        CertificateSigner signer = signer();
        if (isOfUser(renewable) && !renewals.tryAcquire(CertificateSubject.fingerprint(renewable))) {
            throw new UniserveException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "the certificate was renewed less than a minute ago, or too many were: try again in a minute");
        }
        try {
            signing.execute(() -> completion.done(sign(signer, renewable, key)));
        } catch (RejectedExecutionException e) {
            throw new UniserveException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    SIGNINGS_MAX + " certificates are being renewed: try again in a minute",
                    e);
        }
    }

    /** Servers are trusted, and several of them may start with the same certificate. */
    private static boolean isOfUser(X509Certificate certificate) {
        return CertifiedIdentity.of(certificate)
                .filter(one -> one.kind() == CertifiedIdentity.Kind.USER)
                .isPresent();
    }

    private static Outcome<String> sign(CertificateSigner signer, X509Certificate current, PublicKey key) {
        try {
            return Outcome.ok(signer.sign(current, key));
        } catch (UniserveException e) {
            return Outcome.err(e);
        } catch (RuntimeException e) { // the caller would wait for its deadline
            return Outcome.err(new UniserveException(ErrorCode.INTERNAL, "the certificate cannot be signed", e));
        }
    }

    private static ThreadPoolExecutor signingThread() {
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                1, 1, SIGNING_IDLE_SECONDS, TimeUnit.SECONDS, new ArrayBlockingQueue<>(SIGNINGS_MAX), task -> {
                    Thread thread = new Thread(task, "uniserve-signing");
                    thread.setDaemon(true);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }
}
