package io.uniserve.client.operation;

import io.uniserve.model.AckLevel;
import io.uniserve.model.RequestId;
import io.uniserve.model.TableName;
import io.uniserve.protocol.client.update.Update.ActorBatch;
import java.util.List;
import java.util.Optional;

/** Update ready to send: rows partitioned by actor, in steps. */
public record UpdatePlan(
        TableName table,
        long tableId,
        String function,
        AckLevel level,
        List<List<ActorBatch>> steps,
        Optional<RequestId> chosenId,
        long deadlineNanos) {}
