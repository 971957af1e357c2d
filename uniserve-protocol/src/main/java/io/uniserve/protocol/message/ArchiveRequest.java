package io.uniserve.protocol.message;

import io.uniserve.codec.Bytes;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;

/**
 * Requests of the coordinator for work in durable storage, for backups of tables. A server does the work, because the coordinator has no
 * durable storage.
 */
public sealed interface ArchiveRequest {
    /** Stores a manifest. Answered with Ack. */
    record StoreManifest(Bytes manifest) implements ArchiveRequest {}

    /** Finds the backups of this name, or all if it is empty. Answered with {@link PeerReply.Archives}. */
    record FindBackups(String name) implements ArchiveRequest {}

    /** Reads the manifest of the complete backup of this name. Answered with {@link PeerReply.Manifests}. */
    record ReadManifest(String name) implements ArchiveRequest {}

    /**
     * Reads every readable manifest of the backup of this name and id: that of its start, and that of its end. Answered with
     * {@link PeerReply.Manifests}.
     */
    record ReadManifests(String name, String id) implements ArchiveRequest {}

    /**
     * Finds the actors of a table of this cluster of which durable storage has a log or a checkpoint, for a table whose map is lost.
     * Answered with {@link PeerReply.Manifests}: one object, a {@code StoredActors}.
     */
    record FindActors(long tableId) implements ArchiveRequest {}

    /**
     * Finds which atomic updates an actor has completely in durable storage, if no primary can answer for it. Answered with
     * {@link PeerReply.Manifests}: one object, an {@code ShippedVersions}.
     */
    record FindShippedVersions(ReplicaKey key) implements ArchiveRequest {}

    /**
     * Pins the stored objects of an actor that has no primary to do so. Answered with {@link PeerReply.Pinned}.
     *
     * @param versionLimit in an atomic table, only older versions than this are included; 0 for all
     */
    record PinLostActor(ReplicaKey key, String backup, long versionLimit) implements ArchiveRequest {}

    /** Reads and checks every object of an actor's part. Answered with Ack. */
    record VerifyPart(Bytes manifest, int actor) implements ArchiveRequest {}

    /** Copies an actor's part to its new continuous backup. Answered with {@link PeerReply.Copied}. */
    record CopyPart(Bytes manifest, int actor, ReplicaKey target) implements ArchiveRequest {}

    /** Deletes an actor's pin. Answered with Ack. */
    record DeletePin(TableName table, String cluster, ReplicaKey key, String backup) implements ArchiveRequest {}

    /** Deletes the manifest of the complete backup, or all manifests of the backup. Answered with Ack. */
    record DeleteManifests(String name, String id, boolean all) implements ArchiveRequest {}

    /** Reads the newest definitions of this cluster's tables, without those whose backups are deleted. Answered with {@link PeerReply.Manifests}. */
    record Definitions() implements ArchiveRequest {}
}
