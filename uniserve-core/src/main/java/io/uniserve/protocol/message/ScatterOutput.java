package io.uniserve.protocol.message;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import org.jspecify.annotations.Nullable;

/**
 * What one run of a scatter made of one actor. A hedge, a retry or a message that came twice makes another run, with chunks of
 * its own: the plan's owner uses one.
 *
 * @param stage the scatter's place in the plan
 * @param actor the source
 * @param run differs from all other runs of the server
 */
public record ScatterOutput(ExchangeId exchange, int stage, int actor, long run) {
    /** Appends it. */
    public void write(BinaryWriter out) {
        exchange.write(out);
        out.writeInt(stage).writeInt(actor).writeLong(run);
    }

    /** Reads what {@link #write} wrote. */
    public static ScatterOutput read(BinaryReader in) {
        return new ScatterOutput(ExchangeId.read(in), in.readInt(), in.readInt(), in.readLong());
    }

    /** By the run, which hardly two have in common: chunks are looked up often. */
    @Override
    public int hashCode() {
        return Long.hashCode(run);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ScatterOutput that
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
