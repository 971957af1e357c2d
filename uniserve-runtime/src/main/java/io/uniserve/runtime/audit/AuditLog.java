package io.uniserve.runtime.audit;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Done;
import io.uniserve.runtime.async.DiskErrorMapper;
import io.uniserve.runtime.audit.AuditEvent.Kind;
import io.uniserve.runtime.audit.AuditOptions.FailurePolicy;
import io.uniserve.runtime.disk.DirectoryLock;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Audit log of one process: a line of JSON per event, chained by hashes, in rotated files of one directory. One thread writes; events
 * that wait at the same time share one write and one sync. Thread-safe.
 *
 * <p>An event that was reported as written stays in the log. After an error of the disk the file is cut off after the last such line
 * before more is written. A process that dies before leaves lines behind that were reported as failed, or a torn last line. The next
 * start removes a torn line, and a line with the action {@code TornLineRemoved} says so. Events that could not be written are counted,
 * and as soon as the disk has room a line with the action {@code EventsLost} has their number.
 */
public final class AuditLog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AuditLog.class);
    private static final long CLOSE_MS = 10_000;

    /** Places in the queue for changes only, so that a flood of refusals does not stop them. */
    private static final int RESERVED = Limits.AUDIT_QUEUE_EVENTS_MAX / 4;

    private final AuditOptions options;
    private final Clock clock;
    private final DirectoryLock directoryLock;
    private final AuditFileWriter writer;
    private final Thread thread;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<Pending> queue = new ArrayDeque<>();
    private boolean closed;

    private final AtomicLong lost = new AtomicLong();
    private final AtomicLong unreported = new AtomicLong();

    /** Events of the writer's thread that are staged, and the notes among them. */
    private final Deque<Pending> staged = new ArrayDeque<>();

    private long tornBytes;
    private boolean stagedTorn;
    private long stagedLost;
    private boolean failing;

    private record Pending(Instant time, AuditEvent event, CompletableFuture<Done> written) {}

    private AuditLog(AuditOptions options, Clock clock, AuditFileSystem system) {
        this.options = options;
        this.clock = clock;
        this.directoryLock = DirectoryLock.acquire(options.directory(), "audit directory", true);
        boolean opened = false;
        try {
            this.writer = new AuditFileWriter(options, system);
            opened = true;
        } catch (IOException e) {
            throw DiskErrorMapper.of("audit log " + options.directory() + " cannot be read", e);
        } finally {
            if (!opened) {
                directoryLock.close();
            }
        }
        this.tornBytes = writer.tornBytes();
        this.thread = new Thread(this::run, "uniserve-audit");
        thread.setDaemon(true);
    }

    /**
     * Opens the log of a directory, and continues its chain.
     *
     * @throws UniserveException INVALID_CONFIGURATION if the directory cannot be used; CORRUPT if its last line is none of an audit log;
     *     IO if it cannot be read
     */
    public static AuditLog open(AuditOptions options, Clock clock) {
        return open(options, clock, AuditFileSystem.DEFAULT);
    }

    static AuditLog open(AuditOptions options, Clock clock, AuditFileSystem system) {
        AuditLog log = new AuditLog(options, clock, system);
        log.thread.start();
        return log;
    }

    /**
     * Appends an event without waiting for the disk. The result completes when the line is written, and synced if the options say so. It
     * completes on the log's thread, so dependent stages must not block. With {@link FailurePolicy#REFUSE_CHANGES} it fails with DISK_FULL
     * or IO, with RESOURCE_EXHAUSTED if too many events wait, and with UNAVAILABLE after {@link #close}. With {@link
     * FailurePolicy#CONTINUE_AND_COUNT} it succeeds in these cases.
     *
     * @throws UniserveException INVALID_ARGUMENT for an event of kind LOG
     */
    public CompletableFuture<Done> append(AuditEvent event) {
        if (event.kind() == Kind.LOG) {
            throw UniserveException.invalid("kind of an audit event is LOG, which only the log itself writes");
        }
        CompletableFuture<Done> written = new CompletableFuture<>();
        UniserveException refusal;
        lock.lock();
        try {
            if (closed) {
                refusal = refusal(ErrorCode.UNAVAILABLE, "is closed", null);
            } else if (queue.size() >= Limits.AUDIT_QUEUE_EVENTS_MAX - (event.kind() == Kind.CHANGE ? 0 : RESERVED)) {
                refusal = refusal(
                        ErrorCode.RESOURCE_EXHAUSTED,
                        "has " + queue.size() + " events that wait for the disk; retry later",
                        null);
            } else {
                queue.add(new Pending(now(), event, written));
                changed.signal();
                return written;
            }
        } finally {
            lock.unlock();
        }
        fail(written, refusal);
        return written;
    }

    /** Appends an event and waits until it is written. Never call it on a thread of the transport. The errors are those of {@link #append}. */
    public void write(AuditEvent event) {
        try {
            append(event).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof UniserveException known
                    ? new UniserveException(known.code(), known.reason(), known)
                    : e;
        }
    }

    /** Number of events since the start that could not be written. */
    public long lostEvents() {
        return lost.get();
    }

    /** Writes the waiting events and ends. Waits at most ten seconds; a disk that hangs longer keeps the directory locked. Idempotent. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
        try {
            thread.join(CLOSE_MS);
            if (thread.isAlive()) {
                LOG.warn("audit log {}: still writing {} ms after its close", options.directory(), CLOSE_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Instant now() {
        return Instant.ofEpochMilli(clock.wallMillis());
    }

    private void run() {
        try (directoryLock) {
            for (Deque<Pending> batch = take(); !batch.isEmpty(); batch = take()) {
                write(batch);
            }
            write(new ArrayDeque<>());
            writer.close();
        } catch (IOException e) {
            LOG.warn("audit log {}: close failed: {}", options.directory(), e.toString());
        }
    }

    /** Waits for events. Empty after the end of the log. */
    private Deque<Pending> take() {
        Deque<Pending> batch = new ArrayDeque<>();
        lock.lock();
        try {
            while (queue.isEmpty() && !closed) {
                changed.awaitUninterruptibly();
            }
            while (!queue.isEmpty() && batch.size() < Limits.AUDIT_BATCH_EVENTS_MAX) {
                batch.add(queue.remove());
            }
        } finally {
            lock.unlock();
        }
        return batch;
    }

    private void write(Deque<Pending> batch) {
        try {
            stageNotes();
            while (!batch.isEmpty()) {
                Pending next = batch.element();
                stage(next.time(), next.event());
                staged.add(batch.remove());
            }
            commit();
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            writer.discard();
            UniserveException refusal = refusal(e);
            if (!failing || !(e instanceof IOException)) {
                LOG.error(
                        "{}; the last line is {}",
                        refusal.reason(),
                        writer.sequence(),
                        e instanceof IOException ? null : e);
            }
            failing = true;
            stagedLost = 0;
            stagedTorn = false;
            staged.addAll(batch);
            while (!staged.isEmpty()) {
                fail(staged.remove().written(), refusal);
            }
        }
    }

    /** Stages the lines of the log about itself, before other events. */
    private void stageNotes() throws IOException {
        if (tornBytes > 0) {
            stage(
                    now(),
                    note(
                            "TornLineRemoved",
                            tornBytes + " bytes without a line feed followed line " + writer.sequence()));
            stagedTorn = true;
        }
        long count = unreported.get();
        if (count > 0) {
            stage(now(), note("EventsLost", "lost events: " + count));
            stagedLost = count;
        }
    }

    private static AuditEvent note(String action, String reason) {
        return new AuditEvent(Kind.LOG, "", "", action, "", AuditEvent.Outcome.OK, reason);
    }

    private void stage(Instant time, AuditEvent event) throws IOException {
        if (!writer.stage(time, event)) {
            commit();
            writer.rotate();
            if (!writer.stage(time, event)) {
                throw new IllegalStateException("a line of the audit log is larger than a file");
            }
        }
    }

    private void commit() throws IOException {
        writer.commit();
        tornBytes = stagedTorn ? 0 : tornBytes;
        stagedTorn = false;
        unreported.addAndGet(-stagedLost);
        stagedLost = 0;
        if (failing && !staged.isEmpty()) {
            LOG.info("audit log {}: writing again, at line {}", options.directory(), writer.sequence());
            failing = false;
        }
        while (!staged.isEmpty()) {
            staged.remove().written().complete(Done.DONE);
        }
    }

    private UniserveException refusal(Throwable cause) {
        if (cause instanceof IOException e) {
            return DiskErrorMapper.of("audit log " + options.directory() + " cannot be written", e);
        }
        return refusal(ErrorCode.INTERNAL, "cannot be written: " + cause, cause);
    }

    private UniserveException refusal(ErrorCode code, String problem, @Nullable Throwable cause) {
        return new UniserveException(code, "audit log " + options.directory() + " " + problem, cause);
    }

    private void fail(CompletableFuture<Done> written, UniserveException refusal) {
        lost.incrementAndGet();
        unreported.incrementAndGet();
        if (options.onFailure() == FailurePolicy.CONTINUE_AND_COUNT) {
            written.complete(Done.DONE);
        } else {
            written.completeExceptionally(refusal);
        }
    }
}
