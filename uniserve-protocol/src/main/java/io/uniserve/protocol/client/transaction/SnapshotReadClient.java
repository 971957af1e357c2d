package io.uniserve.protocol.client.transaction;

import io.uniserve.model.Address;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.VersionedRead;

/** Sends reads of one version to a server. Errors as for {@link io.uniserve.protocol.env.Network}. */
@FunctionalInterface
public interface SnapshotReadClient {
    /** Sends one server's share of a read, without a time-out. The result cancels it. */
    Timers.Cancel read(Address to, VersionedRead request, Completion<VersionedRead.Reply> completion);
}
