package io.uniserve.protocol.reader;

import io.uniserve.model.ServerId;
import java.util.List;

/** One message of an update to one server. */
record UpdateCall(ServerId server, List<UpdateSlot> slots, long sentNanos) {
    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
