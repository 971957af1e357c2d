package io.uniserve.protocol.message;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import org.jspecify.annotations.Nullable;

/**
 * Output of one run of a scatter on one actor. A hedge, a retry or a duplicated message causes another run with chunks of its own. The
 * planning server uses exactly one run per source.
 *
 * @param stage position of the scatter in the plan
 * @param actor the source
 * @param run unique among the runs of the server
 */
public record ScatterRunId(ExchangeId exchange, int stage, int actor, long run) {
    /** Appends the id. */
    public void write(BinaryWriter out) {
        exchange.write(out);
        out.writeInt(stage).writeInt(actor).writeLong(run);
    }

    /** Reads the format of {@link #write}. */
    public static ScatterRunId read(BinaryReader in) {
        return new ScatterRunId(ExchangeId.read(in), in.readInt(), in.readInt(), in.readLong());
    }

    /** Hash of the run, which is nearly unique: chunk lookups are frequent. */
    @Override
    public int hashCode() {
        return Long.hashCode(run);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ScatterRunId that
                && run == that.run
                && actor == that.actor
                && stage == that.stage
                && exchange.query() == that.exchange.query()
                && exchange.attempt() == that.exchange.attempt();
    }

    @Override
    public String toString() {
        return "actor " + actor + " of stage " + stage + " (attempt " + exchange.attempt() + ", run "
                + Long.toHexString(run) + ")";
    }
}
