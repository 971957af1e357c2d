package io.uniserve.runtime.transport.access;

import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Done;
import io.uniserve.runtime.audit.AuditEvent;
import io.uniserve.runtime.audit.AuditEvent.Kind;
import io.uniserve.runtime.audit.AuditEvent.Outcome;
import io.uniserve.runtime.audit.AuditLog;
import io.uniserve.runtime.audit.AuditOptions;
import io.uniserve.runtime.config.AuditSettings;
import io.uniserve.runtime.time.SystemClock;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * What a process writes to its audit log: each permitted change before it is made, and once more if it fails; refusals, of each caller so
 * many per minute and the number of the others; each new connection with its identity. Without an audit log nothing is written. Thread-safe;
 * never blocks.
 */
public final class AuditRecorder implements AutoCloseable {
    /** No audit log. */
    public static final AuditRecorder NONE = new AuditRecorder(Optional.empty());

    private static final Executor AFTER_A_MINUTE = CompletableFuture.delayedExecutor(1, TimeUnit.MINUTES);

    private final Optional<AuditLog> log;
    private final RefusalLogLimiter refusals;

    /**
     * Opens the log that the settings name.
     *
     * @param process id of the server or coordinator
     * @throws UniserveException INVALID_CONFIGURATION if the directory cannot be used; CORRUPT if its last line is damaged; IO
     */
    public static AuditRecorder open(AuditSettings settings, String process) {
        return new AuditRecorder(settings.directory()
                .map(directory -> AuditLog.open(
                        new AuditOptions(
                                directory,
                                process,
                                settings.fileBytes(),
                                settings.filesMax(),
                                true,
                                settings.onFailure()),
                        SystemClock.INSTANCE)));
    }

    AuditRecorder(Optional<AuditLog> log) {
        this(log, SystemClock.INSTANCE);
    }

    /** @param clock measures the minutes of refusals */
    AuditRecorder(Optional<AuditLog> log, Clock clock) {
        this.log = log;
        refusals = new RefusalLogLimiter(clock);
    }

    /** Number of events that could not be written since the start. */
    public long lostEvents() {
        return log.map(AuditLog::lostEvents).orElse(0L);
    }

    /** Writes the waiting events and closes the log. */
    @Override
    public void close() {
        writeSuppressed(true);
        log.ifPresent(AuditLog::close);
    }

    /** True if there is a log. */
    public boolean isOn() {
        return log.isPresent();
    }

    /** Writes that the caller is about to make a change. The change may be made if the result succeeds. */
    CompletableFuture<Done> change(String principal, String address, String action, String object) {
        return append(new AuditEvent(Kind.CHANGE, principal, address, action, object, Outcome.OK, ""));
    }

    /** Writes that a change failed, or that its outcome is unknown. */
    CompletableFuture<Done> failed(String principal, String address, String action, String object, String reason) {
        return append(new AuditEvent(Kind.CHANGE, principal, address, action, object, Outcome.FAILED, reason));
    }

    /** Writes a refusal. The caller is refused whether this can be written or not; the log counts what is lost. */
    public void refused(String principal, String address, String action, String object, String reason) {
        writeRefusal(
                principal, new AuditEvent(Kind.REFUSAL, principal, address, action, object, Outcome.REFUSED, reason));
    }

    /** @param caller name under which its refusals are counted; empty for its address */
    private void writeRefusal(String caller, AuditEvent refusal) {
        if (log.isEmpty()) {
            return;
        }
        writeSuppressed(false);
        switch (refusals.count(caller, refusal.address())) {
            case WRITE -> appendOnly(refusal);
            case SUPPRESS_FIRST -> AFTER_A_MINUTE.execute(() -> writeSuppressed(false));
            case SUPPRESS -> {}
        }
    }

    private void writeSuppressed(boolean all) {
        refusals.takeEnded(all).forEach(this::appendOnly);
    }

    private void appendOnly(AuditEvent event) {
        CompletableFuture<Done> unused = append(event);
    }

    /** Writes a new connection. */
    public void login(String principal, String address) {
        CompletableFuture<Done> unused =
                append(new AuditEvent(Kind.LOGIN, principal, address, "Connect", "", Outcome.OK, ""));
    }

    /** Writes a login with a password. */
    public void passwordLogin(String principal, String address) {
        CompletableFuture<Done> unused =
                append(new AuditEvent(Kind.LOGIN, principal, address, "Login", "", Outcome.OK, ""));
    }

    /** Writes a login with a password that was refused. The name is not proved, so these are counted by address. */
    public void passwordRefused(String principal, String address, String reason) {
        writeRefusal("", new AuditEvent(Kind.LOGIN, principal, address, "Login", "", Outcome.REFUSED, reason));
    }

    private CompletableFuture<Done> append(AuditEvent event) {
        return log.map(open -> open.append(event)).orElseGet(() -> CompletableFuture.completedFuture(Done.DONE));
    }
}
