"""An agent of the standard library alone: a model asks for a tool, the tool answers, the model answers in a stream."""
import json
import os
import sys
import urllib.error
import urllib.request

MODEL = os.environ["MODEL_URL"]
TOOL = os.environ["TOOL_URL"]
QUESTION = os.environ.get("QUESTION", "Where is order 4711?")


def call(url, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json", "authorization": "Bearer sk-foreign-0123456789abcdef"})
    try:
        return urllib.request.urlopen(request, timeout=30)
    except urllib.error.HTTPError as error:
        print("refused", error.code, error.read().decode())
        sys.exit(4)


def ask(messages, **more):
    return call(MODEL + "/v1/chat/completions", {"model": "gpt-4o-2024-08-06", "messages": messages, **more})


messages = [{"role": "user", "content": QUESTION}]
with ask(messages, tools=[{"type": "function", "function": {"name": "order_status", "parameters": {"type": "object"}}}]) as response:
    message = json.load(response)["choices"][0]["message"]
print(json.dumps(message))
for tool_call in message["tool_calls"]:
    order = json.loads(tool_call["function"]["arguments"])["order"]
    with call(TOOL + "/orders/" + order) as response:
        answer = response.read().decode()
    print("tool", answer)
    messages += [message, {"role": "tool", "tool_call_id": tool_call["id"], "content": answer}]
if os.environ.get("STOP") == "early":
    sys.exit(0)
with ask(messages, stream=True) as response:
    for line in response:
        sys.stdout.write("| " + line.decode())
if os.environ.get("MORE") == "1":
    call(TOOL + "/orders/" + order).read()
