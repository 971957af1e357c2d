package io.uniserve.protocol.message;

import io.uniserve.codec.Bytes;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;

/** What the coordinator, which has no durable storage, asks a server to do there for backups of tables. */
public sealed interface ArchiveRequest {
    /** Stores a manifest. Answered with Ack. */
    record Store(Bytes manifest) implements ArchiveRequest {}

    /** All backups, or those of one name; empty for all. Answered with {@link PeerReply.Archives}. */
    record Find(String name) implements ArchiveRequest {}

    /** The manifest of the complete backup of this name. Answered with {@link PeerReply.Manifests}. */
    record Read(String name) implements ArchiveRequest {}

    /**
     * Tells which atomic updates durable storage has all of, as far as an actor that no primary can speak for has a part in
     * them. Answered with {@link PeerReply.Manifests}: one object, an {@code ShippedVersions}.
     */
    record Survey(ReplicaKey key) implements ArchiveRequest {}

    /**
     * Pins what durable storage has of an actor that no primary can speak for. Answered with {@link PeerReply.Pinned}.
     *
     * @param before of a table whose updates are atomic: nothing of this version and of later ones; 0 for all there is
     */
    record Salvage(ReplicaKey key, String backup, long before) implements ArchiveRequest {}

    /** Reads and checks every object of an actor's part. Answered with Ack. */
    record Check(Bytes manifest, int actor) implements ArchiveRequest {}

    /** Makes an actor's continuous backup out of its part. Answered with {@link PeerReply.Copied}. */
    record Copy(Bytes manifest, int actor, ReplicaKey target) implements ArchiveRequest {}

    /** Takes an actor's pin away. Answered with Ack. */
    record Release(TableName table, String cluster, ReplicaKey key, String backup) implements ArchiveRequest {}

    /** Deletes manifests of a backup: the complete one, or all. Answered with Ack. */
    record Forget(String name, String id, boolean all) implements ArchiveRequest {}

    /** The newest definitions of this cluster's tables, live or not. Answered with {@link PeerReply.Manifests}. */
    record Definitions() implements ArchiveRequest {}
}
