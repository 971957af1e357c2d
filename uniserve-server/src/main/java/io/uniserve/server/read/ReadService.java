package io.uniserve.server.read;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.ReadReply;
import io.uniserve.protocol.message.ReadRequest;
import io.uniserve.runtime.transport.ReadHandler;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Answers reads on a fixed pool of workers. At most {@code requestsMax} requests are inside at once, queued or running: more
 * are refused with RESOURCE_EXHAUSTED before they take memory. Safe for use by several threads.
 */
public final class ReadService implements ReadHandler, AutoCloseable {
    private final Clock clock;
    private final GateTable gates;
    private final ReadEngine engine;
    private final LoadMeter load;
    private final Consumer<TableName> newerEpoch;
    private final int threads;
    private final int requestsMax;
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger busy = new AtomicInteger();
    private final ThreadPoolExecutor workers;

    /**
     * @param newerEpoch told a table's name when a client knows a newer epoch than this server: time to read the map
     * @param threads read workers, at least 1
     * @param requestsMax requests inside at once, at least 1
     */
    public ReadService(
            Clock clock,
            GateTable gates,
            ReadEngine engine,
            LoadMeter load,
            Consumer<TableName> newerEpoch,
            int threads,
            int requestsMax) {
        this.clock = clock;
        this.gates = gates;
        this.engine = engine;
        this.load = load;
        this.newerEpoch = newerEpoch;
        this.threads = threads;
        this.requestsMax = requestsMax;
        AtomicInteger names = new AtomicInteger();
        this.workers =
                new ThreadPoolExecutor(threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "read-" + names.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
    }

    @Override
    public Timers.Cancel read(ReadRequest request, Completion<ReadReply> completion) {
        if (inside.incrementAndGet() > requestsMax) {
            inside.decrementAndGet();
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "server has " + requestsMax + " reads inside, its limit; try another replica or a little later")));
            return () -> {};
        }
        ReadRun run = new ReadRun(this, request, outcome -> {
            inside.decrementAndGet();
            completion.done(outcome);
        });
        if (!offer(run)) {
            run.refuse(new UniserveException(ErrorCode.UNAVAILABLE, "server is shutting down"));
        }
        return run::cancel;
    }

    /** Runs more of the request on another worker, if one is idle. */
    void help(ReadRun run) {
        if (busy.get() < threads) {
            offer(run);
        }
    }

    private boolean offer(ReadRun run) {
        try {
            workers.execute(() -> {
                busy.incrementAndGet();
                try {
                    run.work();
                } finally {
                    busy.decrementAndGet();
                }
            });
            return true;
        } catch (RejectedExecutionException e) {
            return false; // only after close
        }
    }

    Clock clock() {
        return clock;
    }

    GateTable gates() {
        return gates;
    }

    ReadEngine engine() {
        return engine;
    }

    LoadMeter load() {
        return load;
    }

    int threads() {
        return threads;
    }

    void sawNewerEpoch(TableName table) {
        newerEpoch.accept(table);
    }

    /** Requests inside now, queued or running. */
    public int inside() {
        return inside.get();
    }

    /** Takes no more requests; those inside may end. Idempotent. */
    @Override
    public void close() {
        workers.shutdown();
    }
}
