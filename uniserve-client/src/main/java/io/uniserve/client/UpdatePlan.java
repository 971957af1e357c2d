package io.uniserve.client;

import io.uniserve.model.AckLevel;
import io.uniserve.model.RequestId;
import io.uniserve.model.TableName;
import io.uniserve.protocol.reader.Update.ActorBatch;
import java.util.List;
import java.util.Optional;

/** Update ready to send: rows partitioned by actor, in steps. */
record UpdatePlan(
        TableName table,
        long tableId,
        String function,
        AckLevel level,
        List<List<ActorBatch>> steps,
        Optional<RequestId> chosenId,
        long deadlineNanos) {}
