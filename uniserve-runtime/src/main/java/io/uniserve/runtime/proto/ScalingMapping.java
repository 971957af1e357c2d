package io.uniserve.runtime.proto;

import io.uniserve.limit.Limits;
import io.uniserve.model.registry.ScalingEvent;
import io.uniserve.model.registry.ScalingInstance;
import io.uniserve.model.registry.ScalingRecord;
import io.uniserve.placement.ScalingView;
import io.uniserve.protocol.message.AdminReply;
import java.util.OptionalDouble;

/** Mapping of the auto-scaler's record and of its status. */
public final class ScalingMapping {
    private static final int TEXT_CHARS_MAX = 4 * Limits.SCALING_REASON_CHARS_MAX;

    private ScalingMapping() {}

    static ModelProto.ScalingRecord toProto(ScalingRecord record) {
        ModelProto.ScalingRecord.Builder proto =
                ModelProto.ScalingRecord.newBuilder().setHold(record.hold());
        record.instances()
                .forEach(instance -> proto.addInstances(ModelProto.ScalingInstance.newBuilder()
                        .setToken(instance.token())
                        .setInstanceId(instance.instanceId())
                        .setStateValue(ProtoValidator.number(instance.state()))
                        .setTerm(instance.term())
                        .setSinceMillis(instance.sinceMillis())
                        .setReason(instance.reason())));
        record.events()
                .forEach(event -> proto.addEvents(ModelProto.ScalingEvent.newBuilder()
                        .setAtMillis(event.atMillis())
                        .setToken(event.token())
                        .setActionValue(ProtoValidator.number(event.action()))
                        .setReason(event.reason())
                        .setEffect(event.effect())));
        return proto.build();
    }

    static ScalingRecord fromProto(ModelProto.ScalingRecord proto) {
        return new ScalingRecord(
                ProtoValidator.clip(proto.getHold(), TEXT_CHARS_MAX),
                ProtoValidator.list(
                        "instances",
                        proto.getInstancesList(),
                        Limits.SCALING_INSTANCES_MAX,
                        one -> new ScalingInstance(
                                one.getToken(),
                                ProtoValidator.clip(one.getInstanceId(), Limits.INSTANCE_ID_CHARS_MAX),
                                ProtoValidator.constant("state", ScalingInstance.State.values(), one.getStateValue()),
                                one.getTerm(),
                                one.getSinceMillis(),
                                ProtoValidator.clip(one.getReason(), TEXT_CHARS_MAX))),
                ProtoValidator.list(
                        "events",
                        proto.getEventsList(),
                        Limits.SCALING_EVENTS_MAX,
                        one -> new ScalingEvent(
                                one.getAtMillis(),
                                one.getToken(),
                                ProtoValidator.constant("action", ScalingEvent.Action.values(), one.getActionValue()),
                                ProtoValidator.clip(one.getReason(), TEXT_CHARS_MAX),
                                ProtoValidator.clip(one.getEffect(), TEXT_CHARS_MAX))));
    }

    static AdminProto.ScalingStatus toProto(AdminReply.Scaling status) {
        AdminProto.ScalingStatus.Builder proto = AdminProto.ScalingStatus.newBuilder()
                .setState(status.state())
                .setRecord(toProto(status.record()))
                .setAddReason(status.addReason())
                .setProblem(status.problem());
        status.servers().forEach(server -> proto.addServers(toProto(server)));
        return proto.build();
    }

    private static AdminProto.ScalingServer toProto(ScalingView.Server server) {
        AdminProto.ScalingServer.Builder proto = AdminProto.ScalingServer.newBuilder()
                .setServer(server.id().value())
                .setCoresMax(server.coresMax())
                .setMemoryBytes(server.memoryBytes())
                .setMemoryMax(server.memoryMax())
                .setDiskBytes(server.diskBytes())
                .setDiskMax(server.diskMax())
                .setQueriesPerSecond(server.queriesPerSecond())
                .setPrimaries(server.primaries())
                .setReplicas(server.replicas())
                .setKeepReason(server.keepReason());
        server.cpuCores().ifPresent(proto::setCpuCores);
        return proto.build();
    }

    static AdminReply.Scaling fromProto(AdminProto.ScalingStatus proto) {
        return new AdminReply.Scaling(
                proto.getState(),
                fromProto(proto.getRecord()),
                ProtoValidator.list(
                        "servers",
                        proto.getServersList(),
                        Limits.SERVERS_MAX,
                        one -> new ScalingView.Server(
                                IdentityMapping.server(one.getServer()),
                                one.hasCpuCores() ? OptionalDouble.of(one.getCpuCores()) : OptionalDouble.empty(),
                                one.getCoresMax(),
                                one.getMemoryBytes(),
                                one.getMemoryMax(),
                                one.getDiskBytes(),
                                one.getDiskMax(),
                                one.getQueriesPerSecond(),
                                one.getPrimaries(),
                                one.getReplicas(),
                                one.getKeepReason())),
                proto.getAddReason(),
                proto.getProblem());
    }
}
