package io.uniserve.protocol.identity;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.ObjectStore;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Durable storage that rejects requests until its owner is confirmed as this cluster, and while the owner is another one. The owner is read
 * again every minute, and before a request after a longer pause. Where requests cost, it is not read while there are none. A deletion needs a reading that is at most a second old. Requests resume
 * by themselves once the owner is this cluster again. Not thread-safe.
 */
public final class OwnerCheckingObjectStore implements ObjectStore {
    private static final Logger LOG = LoggerFactory.getLogger(OwnerCheckingObjectStore.class);
    private static final long MILLI = 1_000_000;
    private static final long AGE_MAX = Limits.STORE_OWNER_CHECK_MS * MILLI;
    private static final long FRESH = Limits.STORE_OWNER_FRESH_MS * MILLI;

    private final ObjectStore objects;
    private final Clock clock;
    private final Timers timers;
    private final List<Completion<Done>> waiting = new ArrayList<>();
    private @Nullable Consumer<Completion<Done>> check;
    private @Nullable UniserveException foreignOwnerError;
    private boolean open;
    private boolean checking;
    private boolean stopped;
    /** True if a request was permitted without a reading since the last one. */
    private boolean used;

    private long checkedAt;
    private long refusedAt;

    public OwnerCheckingObjectStore(ObjectStore objects, Clock clock, Timers timers) {
        this.objects = objects;
        this.clock = clock;
        this.timers = timers;
    }

    /** The storage without checks, to find its owner. */
    public ObjectStore unchecked() {
        return objects;
    }

    /** Opens without checks, because there is no durable storage, or none with owners. */
    public void open() {
        open = true;
    }

    /**
     * Opens after the owner was confirmed as this cluster.
     *
     * @param again reads the owner again: WRONG_CLUSTER if it is another one or absent, other errors if storage does not reply
     */
    public void open(Consumer<Completion<Done>> again) {
        open = true;
        checkedAt = clock.nanos();
        if (check == null) {
            check = again;
            recheckLater();
        }
    }

    /** Stops the checks. */
    public void stop() {
        stopped = true;
    }

    /** The error if the storage is not used because another cluster owns it; empty while it is used. */
    public Optional<UniserveException> foreignOwnerError() {
        return Optional.ofNullable(foreignOwnerError);
    }

    /** Completes when the owner was confirmed at most a second ago; WRONG_CLUSTER if it is another one. */
    public void confirm(Completion<Done> completion) {
        admit(FRESH, completion);
    }

    @Override
    public void put(String key, Bytes data, Completion<Done> completion) {
        runIfOwned(AGE_MAX, completion, () -> objects.put(key, data, completion));
    }

    @Override
    public void get(String key, Completion<Bytes> completion) {
        runIfOwned(AGE_MAX, completion, () -> objects.get(key, completion));
    }

    @Override
    public void list(String prefix, Completion<List<String>> completion) {
        runIfOwned(AGE_MAX, completion, () -> objects.list(prefix, completion));
    }

    @Override
    public void delete(String key, Completion<Done> completion) {
        runIfOwned(FRESH, completion, () -> objects.delete(key, completion));
    }

    @Override
    public boolean isPricedPerRequest() {
        return objects.isPricedPerRequest();
    }

    private <T> void runIfOwned(long ageNanos, Completion<T> completion, Runnable task) {
        admit(ageNanos, admitted -> {
            if (admitted instanceof Outcome.Err<Done> err) {
                completion.done(Outcome.err(err.error()));
            } else {
                task.run();
            }
        });
    }

    private void admit(long ageNanos, Completion<Done> completion) {
        long now = clock.nanos();
        UniserveException other = foreignOwnerError;
        Consumer<Completion<Done>> read = check;
        if (!open) {
            failLater(
                    completion,
                    new UniserveException(ErrorCode.IO, "the owner of durable storage is not known yet: try again"));
        } else if (other != null && now - refusedAt < Limits.STORE_OWNER_RECHECK_MS * MILLI) {
            failLater(completion, other);
        } else if (read == null || other == null && now - checkedAt <= ageNanos) {
            used = true;
            completion.done(Outcome.ok(Done.DONE));
        } else {
            waiting.add(completion);
            recheck(read);
        }
    }

    private void failLater(Completion<Done> completion, UniserveException error) {
        timers.post(() -> completion.done(Outcome.err(error)));
    }

    private void recheck(Consumer<Completion<Done>> read) {
        if (checking) {
            return;
        }
        checking = true;
        used = false;
        long sentAt = clock.nanos();
        read.accept(outcome -> {
            checking = false;
            if (outcome instanceof Outcome.Err<Done> err) {
                if (err.error().code() == ErrorCode.WRONG_CLUSTER) {
                    refuse(err.error());
                }
            } else {
                checkedAt = sentAt;
                if (foreignOwnerError != null) {
                    foreignOwnerError = null;
                    LOG.info("durable storage: the owner is this cluster again, backups continue");
                }
            }
            List<Completion<Done>> all = List.copyOf(waiting);
            waiting.clear();
            all.forEach(one -> one.done(outcome));
        });
    }

    private void refuse(UniserveException why) {
        UniserveException before = foreignOwnerError;
        foreignOwnerError = why;
        refusedAt = clock.nanos();
        if (before == null || !before.reason().equals(why.reason())) {
            LOG.error("durable storage: no longer used, backups are stopped: {}", why.getMessage());
        }
    }

    private void recheckLater() {
        timers.after(AGE_MAX, () -> {
            Consumer<Completion<Done>> read = check;
            if (!stopped && read != null) {
                if (used || foreignOwnerError != null || !objects.isPricedPerRequest()) {
                    recheck(read);
                }
                recheckLater();
            }
        });
    }
}
