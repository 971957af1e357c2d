package io.uniserve.runtime.proto.data;

import io.uniserve.api.plan.Answer;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.message.client.QueryRequest;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.runtime.proto.BytesMapping;
import io.uniserve.runtime.proto.DataProto;
import io.uniserve.runtime.proto.IdentityMapping;
import io.uniserve.runtime.proto.ProtoValidator;
import io.uniserve.runtime.proto.ReadMapping;
import java.util.Optional;

/** Mapping of queries in an engine's own language and their answers. */
public final class QueryMapping {
    private QueryMapping() {}

    /** Encodes a request. */
    public static DataProto.QueryRequest toProto(QueryRequest request) {
        DataProto.QueryRequest.Builder proto = DataProto.QueryRequest.newBuilder()
                .setTable(request.table().value())
                .setText(request.text())
                .setRemainingNanos(request.remainingNanos())
                .setTableId(request.tableId())
                .addAllActors(request.actors())
                .setModeValue(ProtoValidator.number(request.mode()))
                .setExplain(request.explain())
                .setCopies(request.replicaSeed())
                .setGeneration(request.generation());
        request.session().ifPresent(session -> {
            proto.setHold(ReadMapping.toProto(
                    new ReadRequest.SessionHold(session.high(), session.low(), session.remainingNanos())));
            session.pins().forEach(pin -> proto.addPins(toProto(pin)));
        });
        for (QueryRequest.Floor floor : request.floors()) {
            proto.addFloors(DataProto.QueryFloor.newBuilder()
                    .setActor(floor.actor())
                    .setEpoch(floor.epoch())
                    .setIndex(floor.index()));
        }
        return proto.build();
    }

    /** Decodes a request. Fails with INVALID_ARGUMENT if it is malformed. */
    public static QueryRequest fromProto(DataProto.QueryRequest proto) {
        return new QueryRequest(
                IdentityMapping.table(proto.getTable()),
                ProtoValidator.text("query", proto.getText(), Limits.QUERY_TEXT_CHARS_MAX),
                ProtoValidator.list(
                        "actors", proto.getActorsList(), Limits.TIME_ACTORS_PER_TABLE_MAX, ProtoValidator::actor),
                proto.hasHold() ? Optional.of(session(proto)) : Optional.empty(),
                ProtoValidator.remaining(proto.getRemainingNanos()),
                ProtoValidator.notNegative("table_id", proto.getTableId()),
                ProtoValidator.list(
                        "floors", proto.getFloorsList(), Limits.TIME_ACTORS_PER_TABLE_MAX, QueryMapping::fromProto),
                proto.getModeValue() == 0
                        ? ReadMode.LINEARIZABLE
                        : ProtoValidator.constant("mode", ReadMode.values(), proto.getModeValue()),
                proto.getExplain(),
                proto.getCopies(),
                ProtoValidator.notNegative("generation", proto.getGeneration()));
    }

    private static DataProto.SessionPin toProto(QueryRequest.Session.Pin pin) {
        return DataProto.SessionPin.newBuilder()
                .setActor(pin.actor())
                .setServer(pin.server().value())
                .setVersion(pin.version())
                .build();
    }

    private static QueryRequest.Session session(DataProto.QueryRequest proto) {
        ReadRequest.SessionHold hold = ReadMapping.fromProto(proto.getHold());
        return new QueryRequest.Session(
                hold.high(),
                hold.low(),
                hold.remainingNanos(),
                ProtoValidator.list(
                        "pins",
                        proto.getPinsList(),
                        Limits.TIME_ACTORS_PER_TABLE_MAX,
                        pin -> new QueryRequest.Session.Pin(
                                ProtoValidator.actor(pin.getActor()),
                                IdentityMapping.server(pin.getServer()),
                                pin.getVersion())));
    }

    private static QueryRequest.Floor fromProto(DataProto.QueryFloor proto) {
        return new QueryRequest.Floor(
                ProtoValidator.actor(proto.getActor()),
                ProtoValidator.notNegative("epoch", proto.getEpoch()),
                ProtoValidator.notNegative("index", proto.getIndex()));
    }

    /** Encodes the answer to a request. */
    public static DataProto.QueryReply toProto(DataProto.QueryRequest request, Answer answer) {
        return toProto(answer).toBuilder().setExplained(request.getExplain()).build();
    }

    /** Encodes an answer. */
    public static DataProto.QueryReply toProto(Answer answer) {
        return DataProto.QueryReply.newBuilder()
                .setContentType(answer.contentType())
                .setBody(BytesMapping.toProto(answer.body()))
                .setRequests(answer.effort().requests())
                .setRetries(answer.effort().retries())
                .setHedges(answer.effort().hedges())
                .build();
    }

    /** Decodes the answer to a request. Fails with UNSUPPORTED if the server has ignored the request to explain the query. */
    public static Answer fromProto(QueryRequest request, DataProto.QueryReply proto) {
        if (request.explain() && !proto.getExplained()) {
            throw UniserveException.unsupported(
                    "to explain a query on a server that runs an earlier version: upgrade it");
        }
        return fromProto(proto);
    }

    /** Decodes an answer. Fails with INVALID_ARGUMENT if it is malformed. */
    public static Answer fromProto(DataProto.QueryReply proto) {
        return new Answer(
                ProtoValidator.identifier("content_type", proto.getContentType()),
                BytesMapping.fromProto("body", proto.getBody(), Limits.RESULT_BYTES_PER_REPLY_MAX),
                new Answer.Effort(proto.getRequests(), proto.getRetries(), proto.getHedges()));
    }
}
