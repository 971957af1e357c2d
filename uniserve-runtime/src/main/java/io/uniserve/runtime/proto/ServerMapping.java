package io.uniserve.runtime.proto;

import io.uniserve.limit.Limits;
import io.uniserve.model.Capacity;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.PortInfo;
import io.uniserve.model.Release;
import io.uniserve.model.registry.ServerRecord;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/** Mapping of servers' registrations. */
final class ServerMapping {
    private ServerMapping() {}

    static ModelProto.ServerRecord toProto(ServerRecord server) {
        Capacity capacity = server.capacity();
        ModelProto.ServerRecord.Builder proto = ModelProto.ServerRecord.newBuilder()
                .setId(server.id().value())
                .setIncarnation(server.incarnation())
                .setAddress(IdentityMapping.toProto(server.address()))
                .setZone(server.zone())
                .setCapacity(ModelProto.Capacity.newBuilder()
                        .setCpuMillis(capacity.cpuMillis())
                        .setMemoryBytes(capacity.memoryBytes())
                        .setDiskBytes(capacity.diskBytes()));
        server.ports().forEach(port -> proto.addPorts(toProto(port)));
        proto.setReleaseVersion(server.release().version())
                .setReleaseLevel(server.release().level());
        return proto.build();
    }

    static ServerRecord fromProto(ModelProto.ServerRecord proto) {
        ProtoValidator.present("address", proto.hasAddress());
        ModelProto.Capacity capacity = proto.getCapacity();
        return new ServerRecord(
                IdentityMapping.server(proto.getId()),
                proto.getIncarnation(),
                IdentityMapping.fromProto(proto.getAddress()),
                ProtoValidator.identifier("zone", proto.getZone()),
                new Capacity(capacity.getCpuMillis(), capacity.getMemoryBytes(), capacity.getDiskBytes()),
                ProtoValidator.list(
                        "ports", proto.getPortsList(), Limits.PORTS_PER_SERVER_MAX, ServerMapping::fromProto),
                release(proto));
    }

    private static Release release(ModelProto.ServerRecord proto) {
        String version = proto.getReleaseVersion();
        return new Release(version.isEmpty() ? version : ProtoValidator.identifier("release version", version), (int)
                ProtoValidator.notNegative("release level", proto.getReleaseLevel()));
    }

    private static ModelProto.PortInfo toProto(PortInfo port) {
        ModelProto.PortInfo.Builder proto = ModelProto.PortInfo.newBuilder()
                .setName(port.name())
                .setVersion(port.version())
                .addAllOperators(port.operators())
                .addAllUpdates(port.updates())
                .setWhole(port.wholeQueryOperator().orElse(""))
                .setCopiesDiffer(port.replicasDiffer())
                .setTextKeys(port.textKeys());
        // Sorted, so that equal values give equal bytes in any order of the set.
        port.levels().stream().sorted().forEach(level -> proto.addLevelsValue(ProtoValidator.number(level)));
        return proto.build();
    }

    private static PortInfo fromProto(ModelProto.PortInfo proto) {
        List<ConsistencyLevel> levels = ProtoValidator.list(
                "levels",
                proto.getLevelsValueList(),
                ConsistencyLevel.values().length,
                number -> ProtoValidator.constant("level", ConsistencyLevel.values(), number));
        return new PortInfo(
                ProtoValidator.identifier("port", proto.getName()),
                ProtoValidator.identifier("version", proto.getVersion()),
                new HashSet<>(levels),
                functions("operators", proto.getOperatorsList()),
                functions("updates", proto.getUpdatesList()),
                Optional.of(proto.getWhole())
                        .filter(id -> !id.isEmpty())
                        .map(id -> ProtoValidator.identifier("whole", id)),
                proto.getCopiesDiffer(),
                proto.getTextKeys());
    }

    private static List<String> functions(String field, List<String> ids) {
        return ProtoValidator.list(
                field, ids, Limits.FUNCTIONS_PER_PORT_MAX, id -> ProtoValidator.identifier(field, id));
    }
}
