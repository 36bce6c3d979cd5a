// OpenLineage's own Java client at work. `read`: each line of stdin through its classes and back to stdout.
// `send URL TOKEN`: each line as an event to an endpoint.
import com.fasterxml.jackson.core.type.TypeReference
import io.openlineage.client.OpenLineage
import io.openlineage.client.OpenLineageClient
import io.openlineage.client.OpenLineageClientUtils
import io.openlineage.client.transports.ApiKeyTokenProvider
import io.openlineage.client.transports.HttpConfig
import io.openlineage.client.transports.HttpTransport

def event = { String line ->
    line.contains('"run":') ? OpenLineageClientUtils.runEventFromJson(line)
        : line.contains('"job":') ? OpenLineageClientUtils.fromJson(line, new TypeReference<OpenLineage.JobEvent>() {})
        : OpenLineageClientUtils.fromJson(line, new TypeReference<OpenLineage.DatasetEvent>() {})
}
if (args[0] == 'read') {
    System.in.eachLine('UTF-8') { println OpenLineageClientUtils.toJson(event(it)) }
} else {
    def config = new HttpConfig()
    config.url = new URI(args[1])
    config.auth = new ApiKeyTokenProvider(apiKey: args[2])
    def client = OpenLineageClient.builder().transport(new HttpTransport(config)).build()
    System.in.eachLine('UTF-8') { client.emit(event(it)) }
    client.close()
}
