package io.uniserve.server;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.runtime.async.BlockingIoExecutor;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.optional.OptionalJars;
import io.uniserve.runtime.provider.InterruptionNotifier;
import io.uniserve.runtime.provider.InterruptionNotifier.Notice;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watcher for the notice that this server's machine is about to be taken away. It polls a notifier on a thread of its own until the first
 * notice. A notifier that fails is polled further; the log has its first failure, and its recovery. Answers and timers run on the loop;
 * the gauges are thread-safe.
 */
final class InterruptionWatcher implements AutoCloseable {
    static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final Logger LOG = LoggerFactory.getLogger(InterruptionWatcher.class);

    private final Poll poll;
    private final Timers loop;
    private final Consumer<Notice> onNotice;
    private final Runnable close;
    private volatile boolean closed;
    private volatile @Nullable Notice notice;
    private volatile int failures;

    /** One question to the notifier, whose answer arrives on the loop. */
    @FunctionalInterface
    interface Poll {
        void run(Completion<Optional<Notice>> completion);
    }

    InterruptionWatcher(Poll poll, Timers loop, Consumer<Notice> onNotice, Runnable close) {
        this.poll = poll;
        this.loop = loop;
        this.onNotice = onNotice;
        this.close = close;
    }

    /**
     * Opens the notifier of this name; without a name there are no notices.
     *
     * @param onNotice receives the first notice on the loop
     * @throws UniserveException INVALID_CONFIGURATION if no notifier has the name
     */
    static InterruptionWatcher open(Optional<String> name, EventLoop loop, Consumer<Notice> onNotice) {
        if (name.isEmpty()) {
            return new InterruptionWatcher(unused -> {}, loop, onNotice, () -> {});
        }
        InterruptionNotifier notifier = OptionalJars.find(
                        InterruptionNotifier.class,
                        candidate -> candidate.name().equals(name.get()))
                .orElseThrow(() -> new UniserveException(
                        ErrorCode.INVALID_CONFIGURATION,
                        "uniserve.server.interruption-notices: \"" + name.get() + "\" is not in "
                                + OptionalJars.folder() + ": use ec2, or an empty text for no notices"));
        BlockingIoExecutor thread = new BlockingIoExecutor("uniserve-interruption", 1, loop);
        return new InterruptionWatcher(
                done -> thread.run("notices of interruptions", done, notifier::poll), loop, onNotice, thread::close);
    }

    /** Starts to poll. */
    void start() {
        poll();
    }

    /** 1 after a notice, otherwise 0. */
    int notices() {
        return notice == null ? 0 : 1;
    }

    /** Number of polls in a row that have failed, up to the newest. */
    int failures() {
        return failures;
    }

    private void poll() {
        if (!closed) {
            poll.run(this::onAnswer);
        }
    }

    private void onAnswer(Outcome<Optional<Notice>> answer) {
        if (closed) {
            return;
        }
        if (answer instanceof Outcome.Ok<Optional<Notice>> ok) {
            if (failures > 0) {
                LOG.info("notices of interruptions: the source answers again, after {} failures", failures);
            }
            failures = 0;
            if (ok.value().isPresent()) {
                announce(ok.value().get());
                return;
            }
        } else if (answer instanceof Outcome.Err<Optional<Notice>> failed) {
            onFailure(failed.error());
        }
        Timers.Cancel unused = loop.after(PERIOD_NANOS, this::poll);
    }

    private void onFailure(UniserveException error) {
        int count = failures + 1;
        failures = count;
        if (count == 1) {
            LOG.warn(
                    "notices of interruptions: {}; asked again every {} s, without another warning",
                    error.getMessage(),
                    TimeUnit.NANOSECONDS.toSeconds(PERIOD_NANOS));
        } else {
            LOG.debug("notices of interruptions: {} failures: {}", count, error.getMessage());
        }
    }

    private void announce(Notice found) {
        notice = found;
        LOG.warn(
                "machine of this server: {} at {}: the server hands over its primaries, then its other replicas",
                found.action(),
                found.time());
        onNotice.accept(found);
    }

    /** Ends polling; waits for a running poll, for at most ten seconds. Idempotent. */
    @Override
    public void close() {
        closed = true;
        close.run();
    }
}
