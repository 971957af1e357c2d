package io.uniserve.runtime.proto;

import com.google.protobuf.ByteString;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.Fencing;
import io.uniserve.model.PreviousIsr;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.TableMap;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/** Mapping of a table's map. It has each server once; actors refer to servers by index. */
final class TableMapMapping {
    private TableMapMapping() {}

    static ModelProto.TableMap toProto(TableMap map) {
        ModelProto.TableMap.Builder proto =
                ModelProto.TableMap.newBuilder().setName(map.name().value()).setTableId(map.tableId());
        proto.setExpiredBefore(map.expiredBefore()).setGeneration(map.generation());
        boolean large = map.actors().size() > Limits.ACTORS_PER_TABLE_MAX;
        ModelProto.TableMap.Builder rows = large ? ModelProto.TableMap.newBuilder() : proto;
        Writer writer = new Writer(rows);
        map.actors().forEach(actor -> rows.addActors(writer.actor(actor)));
        if (large) {
            proto.setDeflated(deflate(rows.build().toByteArray()));
        }
        return proto.build();
    }

    private static ByteString deflate(byte[] plain) {
        Deflater deflater = new Deflater(Deflater.BEST_SPEED);
        ByteString.Output out = ByteString.newOutput(plain.length / 8);
        try (DeflaterOutputStream deflating = new DeflaterOutputStream(out, deflater)) {
            deflating.write(plain);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.INTERNAL, "memory cannot be written to", e);
        } finally {
            deflater.end();
        }
        return out.toByteString();
    }

    /** The message with servers and actors, inflated if it is deflated. */
    private static ModelProto.TableMap rows(ModelProto.TableMap proto) {
        if (proto.getDeflated().isEmpty()) {
            return proto;
        }
        try (InflaterInputStream in =
                new InflaterInputStream(proto.getDeflated().newInput())) {
            byte[] plain = in.readNBytes(Limits.MESSAGE_BYTES_MAX + 1);
            if (plain.length > Limits.MESSAGE_BYTES_MAX) {
                throw ProtoValidator.malformed(
                        "map of table " + proto.getName() + " has more than " + Limits.MESSAGE_BYTES_MAX + " bytes");
            }
            return ModelProto.TableMap.parseFrom(plain);
        } catch (IOException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_ARGUMENT,
                    "map of table " + ProtoValidator.clip(proto.getName(), Limits.NAME_LENGTH_MAX) + " is malformed",
                    e);
        }
    }

    static TableMap fromProto(ModelProto.TableMap proto) {
        ModelProto.TableMap rows = rows(proto);
        List<ServerId> servers =
                ProtoValidator.list("servers", rows.getServersList(), Limits.SERVERS_MAX, IdentityMapping::server);
        Reader reader = new Reader(servers);
        List<ActorState> actors =
                ProtoValidator.list("actors", rows.getActorsList(), Limits.TIME_ACTORS_PER_TABLE_MAX, reader::actor);
        return new TableMap(
                IdentityMapping.table(proto.getName()),
                ProtoValidator.notNegative("table_id", proto.getTableId()),
                actors,
                proto.getExpiredBefore(),
                ProtoValidator.notNegative("generation", proto.getGeneration()));
    }

    private record Writer(ModelProto.TableMap.Builder map, Map<ServerId, Integer> serverIndexes) {
        private Writer(ModelProto.TableMap.Builder map) {
            this(map, new HashMap<>());
        }

        private int serverIndex(ServerId server) {
            Integer known = serverIndexes.get(server);
            if (known != null) {
                return known;
            }
            map.addServers(server.value());
            serverIndexes.put(server, serverIndexes.size());
            return serverIndexes.size() - 1;
        }

        private ModelProto.ActorState actor(ActorState state) {
            ModelProto.ActorState.Builder proto = ModelProto.ActorState.newBuilder()
                    .setActor(state.actor())
                    .setEpoch(state.epoch())
                    .setPrimary(serverIndex(state.primary()))
                    .setRestoreEpoch(state.restoreEpoch())
                    .setEpochStarted(state.epochStarted())
                    .setFormerEpoch(state.previousIsr().epoch())
                    .setFormerRestoreEpoch(state.previousIsr().restoreEpoch())
                    .setCopies(state.copies())
                    .setAutomaticCopies(state.automaticCopies())
                    .setFirstVersion(state.firstVersion());
            state.previousIsr().isr().forEach(server -> proto.addFormer(serverIndex(server)));
            state.isr().forEach(server -> proto.addIsr(serverIndex(server)));
            state.learners().forEach(server -> proto.addLearners(serverIndex(server)));
            state.fencing()
                    .forEach(fencing -> proto.addFencing(ModelProto.Fencing.newBuilder()
                            .setServer(serverIndex(fencing.server()))
                            .setEpoch(fencing.epoch())));
            state.desiredServers().forEach(server -> proto.addDesired(serverIndex(server)));
            state.weights()
                    .forEach((server, share) -> proto.addWeights(ModelProto.Weight.newBuilder()
                            .setServer(serverIndex(server))
                            .setShare(share)));
            return proto.build();
        }
    }

    private record Reader(List<ServerId> servers) {
        private ServerId server(int place) {
            if (place < 0 || place >= servers.size()) {
                throw ProtoValidator.malformed("server number " + place + " of " + servers.size());
            }
            return servers.get(place);
        }

        private List<ServerId> servers(String field, List<Integer> places) {
            return ProtoValidator.list(field, places, Limits.SERVERS_MAX, this::server);
        }

        private ActorState actor(ModelProto.ActorState proto) {
            Map<ServerId, Double> weights = new TreeMap<>();
            ProtoValidator.list(
                    "weights",
                    proto.getWeightsList(),
                    Limits.SERVERS_MAX,
                    weight -> weights.put(server(weight.getServer()), share(weight.getShare())));
            ActorState state = new ActorState(
                    ProtoValidator.actor(proto.getActor()),
                    ProtoValidator.notNegative("epoch", proto.getEpoch()),
                    server(proto.getPrimary()),
                    servers("isr", proto.getIsrList()),
                    servers("learners", proto.getLearnersList()),
                    ProtoValidator.list("fencing", proto.getFencingList(), Limits.SERVERS_MAX, this::fencing),
                    servers("desired", proto.getDesiredList()),
                    weights,
                    ProtoValidator.notNegative("restoreEpoch", proto.getRestoreEpoch()),
                    proto.getEpochStarted(),
                    new PreviousIsr(
                            servers("former", proto.getFormerList()),
                            ProtoValidator.notNegative("formerEpoch", proto.getFormerEpoch()),
                            ProtoValidator.notNegative("formerRestoreEpoch", proto.getFormerRestoreEpoch())),
                    copies(proto.getCopies()),
                    copies(proto.getAutomaticCopies()),
                    ProtoValidator.notNegative("firstVersion", proto.getFirstVersion()));
            if (!state.isr().contains(state.primary())) {
                throw ProtoValidator.malformed("primary of actor " + state.actor() + " is not in its ISR");
            }
            return state;
        }

        private Fencing fencing(ModelProto.Fencing proto) {
            return new Fencing(server(proto.getServer()), ProtoValidator.notNegative("epoch", proto.getEpoch()));
        }

        private static int copies(int copies) {
            if (copies < 0 || copies > Limits.REPLICATION_FACTOR_MAX) {
                throw ProtoValidator.malformed(
                        "copies is " + copies + ", it must be 0 to " + Limits.REPLICATION_FACTOR_MAX);
            }
            return copies;
        }

        private static double share(double share) {
            if (!(share >= 0 && share < Double.POSITIVE_INFINITY)) {
                throw ProtoValidator.malformed("weight is " + share + ", it must be a number not below 0");
            }
            return share;
        }
    }
}
