package io.uniserve.protocol.tx;

import io.uniserve.model.Address;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.VersionedRead;

/** Sends reads of one version. Errors as for {@link io.uniserve.protocol.env.Network}. */
@FunctionalInterface
public interface SnapshotReadClient {
    /** Sends one server's share; the handle gives it up. There is no time-out. */
    Timers.Cancel read(Address to, VersionedRead request, Completion<VersionedRead.Reply> completion);
}
