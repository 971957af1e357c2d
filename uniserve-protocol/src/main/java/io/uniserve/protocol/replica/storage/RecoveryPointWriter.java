package io.uniserve.protocol.replica.storage;

import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.replica.context.ReplicaConfig;

/**
 * Maintenance of the recovery point in the state file: the index up to which the log is known to be durable. It is written shortly after
 * the log stops growing, and periodically while it grows. In between, each batch in the log proves that the previous one was durable.
 * Updates never wait for it.
 */
public final class RecoveryPointWriter {
    private static final int REST_RETRIES = 10;
    private static final int BUSY_RETRIES = 300;

    private final ReplicaConfig config;
    private long lastDurable;
    private long lastDurableChangeNanos;
    private long writtenNanos;
    private boolean writing;
    private boolean suspended;

    public RecoveryPointWriter(ReplicaConfig config, long now) {
        this.config = config;
        this.lastDurableChangeNanos = now;
        this.writtenNanos = now;
    }

    /** Suspends writes of the recovery point during a truncation of the log. */
    public void suspend(boolean value) {
        suspended = value;
    }

    public boolean wantsTicks(OpenReplicaFiles parts) {
        return parts.log().lastIndex() > parts.file().get().synced();
    }

    public void tick(long now, OpenReplicaFiles parts) {
        long durable = parts.log().durableIndex();
        if (durable != lastDurable) {
            lastDurable = durable;
            lastDurableChangeNanos = now;
        }
        boolean rests = now - lastDurableChangeNanos >= REST_RETRIES * config.retryNanos();
        boolean late = now - writtenNanos >= BUSY_RETRIES * config.retryNanos();
        boolean news = durable > parts.file().get().synced();
        if (suspended || writing || !news || !rests && !late) {
            return;
        }
        write(parts, now);
    }

    private void write(OpenReplicaFiles parts, long now) {
        writing = true;
        writtenNanos = now;
        parts.file()
                .change(
                        state ->
                                suspended ? state : state.withSynced(parts.log().durableIndex()),
                        done -> {
                            writing = false;
                            if (done instanceof Outcome.Err<Done>) {
                                lastDurableChangeNanos = now;
                            }
                        });
    }
}
