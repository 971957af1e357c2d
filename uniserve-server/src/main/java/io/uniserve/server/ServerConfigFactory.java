package io.uniserve.server;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.Address;
import io.uniserve.model.Capacity;
import io.uniserve.model.PortInfo;
import io.uniserve.protocol.log.LogOptions;
import io.uniserve.protocol.replica.context.ReplicaConfig;
import io.uniserve.protocol.server.config.ServerConfig;
import io.uniserve.protocol.server.config.TrashConfig;
import io.uniserve.runtime.config.ServerSettings;
import io.uniserve.runtime.config.Settings;
import io.uniserve.runtime.disk.DataDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;

/** Mapping from the configuration to the settings of the state machine. */
final class ServerConfigFactory {
    private static final long MILLIS_PER_CORE = 1_000;

    private ServerConfigFactory() {}

    static ServerConfig serverConfig(
            ServerSettings settings, String cluster, DataDirectory data, Address address, List<PortInfo> ports) {
        ReplicaConfig defaults = ReplicaConfig.defaults(cluster);
        ReplicaConfig replicas = new ReplicaConfig(
                cluster,
                new LogOptions(
                        Limits.LOG_SEGMENT_BYTES,
                        defaults.log().cacheBytes(),
                        settings.logBytesPerActorMax(),
                        settings.logRetainBytes(),
                        Runtime.getRuntime().maxMemory() / Limits.LOG_CACHE_HEAP_DIVISOR),
                settings.lease().toNanos(),
                settings.clockDrift(),
                defaults.replicateTimeoutNanos(),
                defaults.retryNanos(),
                settings.engineTimeout().toNanos(),
                defaults.learnerTimeoutNanos(),
                defaults.learnerLagMax(),
                settings.checkpointEntries(),
                settings.checkpointBytes(),
                settings.storageLocation().isPresent() ? settings.logShipping().toNanos() : 0);
        return new ServerConfig(
                data.server(),
                data.incarnation(),
                address,
                settings.zone(),
                capacity(settings.capacity(), data),
                ports,
                replicas,
                settings.tick().toNanos(),
                settings.ping().toNanos(),
                settings.pingTargets(),
                settings.rpcTimeout().toNanos(),
                settings.drainTimeout().toNanos(),
                settings.takeOverStorage(),
                TrashConfig.defaults(),
                settings.scrubPeriod().toNanos(),
                false);
    }

    /** Settings of the trash: the handling of replicas that ZooKeeper does not know. */
    static TrashConfig trashConfig(Settings whole, DataDirectory data, long wallMillis) {
        ServerSettings.Trash given = whole.server().trash();
        long share = given.bytesMax() > 0 ? given.bytesMax() : diskBytes(data) / 100 * Limits.TRASH_DISK_PERCENT;
        return new TrashConfig(
                given.retention().toMillis(),
                share,
                wallMillis,
                "ZooKeeper " + whole.zookeeper().connect(),
                given.allUnknown());
    }

    private static Capacity capacity(ServerSettings.Capacity given, DataDirectory data) {
        Runtime machine = Runtime.getRuntime();
        double cores = given.cpuCores() > 0 ? given.cpuCores() : machine.availableProcessors();
        long memory = given.memoryBytes() > 0 ? given.memoryBytes() : machine.maxMemory();
        long disk = given.diskBytes() > 0 ? given.diskBytes() : diskBytes(data);
        return new Capacity((int) Math.round(cores * MILLIS_PER_CORE), memory, disk);
    }

    private static long diskBytes(DataDirectory data) {
        try {
            return Files.getFileStore(data.files()).getTotalSpace();
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot read the size of the disk at " + data.files(), e);
        }
    }
}
